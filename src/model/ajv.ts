// Loaded when a schema has to be used. A bundler keeps the names of a CommonJS package only if they are listed.
export { Ajv2020 } from 'ajv/dist/2020.js'
