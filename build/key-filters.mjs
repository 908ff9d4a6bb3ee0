// The filters that keep the kernel's keys out of a room, one for each processor.
import { writeFileSync } from 'node:fs'
import { filteredProcessors, keyFilter, keyFilterFile } from '../dist/sandbox/key-filter.js'

for (const processor of filteredProcessors) writeFileSync(keyFilterFile(processor), keyFilter(processor))
