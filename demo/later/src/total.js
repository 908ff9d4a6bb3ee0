/** The price of a basket in whole cents, after a discount between 0 and 1. */
export function total(items, discount = 0) {
  const net = items.reduce((all, item) => all + item.price, 0) * (1 - discount)
  return Math.round(net * 100) / 100
}
