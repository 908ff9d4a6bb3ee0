/** Keys that were asked for, to tell one that comes twice. */
export interface KeySet {
  /** False: it was there already. */
  add(key: string): boolean
}

const firstRoom = 64

/**
 * A long run has tens of thousands of keys of a hundred letters, and all that is asked of them is whether one was there:
 * 64 bits of each are enough for that. That two of a million keys share them is less likely than one in ten million.
 */
export function openKeySet(): KeySet {
  let slots = new Uint32Array(2 * firstRoom)
  let count = 0

  function place(low: number, high: number): boolean {
    const rooms = slots.length / 2
    for (let room = low & (rooms - 1); ; room = (room + 1) & (rooms - 1)) {
      const [foundLow, foundHigh] = [slots[2 * room] ?? 0, slots[2 * room + 1] ?? 0]
      if (foundLow === low && foundHigh === high) return false
      if (foundLow !== 0 || foundHigh !== 0) continue
      slots[2 * room] = low
      slots[2 * room + 1] = high
      return true
    }
  }

  function grow(): void {
    const old = slots
    slots = new Uint32Array(2 * old.length)
    for (let at = 0; at < old.length; at += 2) {
      const [low, high] = [old[at] ?? 0, old[at + 1] ?? 0]
      if (low !== 0 || high !== 0) place(low, high)
    }
  }

  return {
    add(key) {
      const [low, high] = hashOf(key)
      if (!place(low, high)) return false
      count += 1
      if (count > slots.length / 3) grow()
      return true
    },
  }
}

/** Two hashes that are mixed at the end: keys differ in a number somewhere, mostly near their end. */
function hashOf(key: string): readonly [low: number, high: number] {
  let [one, other] = [0xde_ad_be_ef ^ key.length, 0x41_c6_ce_57 ^ key.length]
  for (let index = 0; index < key.length; index++) {
    const letter = key.charCodeAt(index)
    one = Math.imul(one ^ letter, 0x9e_37_79_b1)
    other = Math.imul(other ^ letter, 0x5f_35_64_95)
  }
  one = Math.imul(one ^ (one >>> 16), 0x85_eb_ca_6b) ^ Math.imul(other ^ (other >>> 13), 0xc2_b2_ae_35)
  other = Math.imul(other ^ (other >>> 16), 0x85_eb_ca_6b) ^ Math.imul(one ^ (one >>> 13), 0xc2_b2_ae_35)
  // Nothing but zeros means a free place.
  return [one >>> 0 || 1, other >>> 0]
}
