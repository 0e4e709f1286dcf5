/** By network, the epochs that an index has left out between stored ones. */
export const epochGaps = `select network, last_epoch + 1 as first, next - 1 as last
  from (
    select network, last_epoch, lead(first_epoch) over (partition by network order by first_epoch) as next
    from index_ranges
  ) r
  where next > last_epoch + 1`;
