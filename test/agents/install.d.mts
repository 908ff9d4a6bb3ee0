export const cacheFolder: string
export const binFolder: string
