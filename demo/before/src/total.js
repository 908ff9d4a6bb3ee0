/** The price of a basket, after a discount between 0 and 1. */
export function total(items, discount = 0) {
  const sum = items.reduce((all, item) => all + item.price, 0)
  return sum - sum * discount
}
