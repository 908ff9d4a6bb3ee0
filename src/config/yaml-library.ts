// Loaded when a file has to be read, and then from one place: a bundler keeps the names of a CommonJS package only if
// they are listed.
export { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml'
