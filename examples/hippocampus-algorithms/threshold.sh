#!/bin/sh
# Darker than most of its surroundings, and about where the hippocampus lies: front half 1, back half 2.
set -e
. /opt/common.sh
for folder in /input/c* /input/h*; do
  [ -d "$folder" ] || continue
  case=${folder##*/}
  open "$case"
  mean=$(awk '{ sum += $1 } END { print sum / NR }' /tmp/values)
  echo "$case: $columns x $rows x $slices voxels, mean value $mean"
  awk -v w="$columns" -v h="$rows" -v d="$slices" -v mean="$mean" '{
    n = NR - 1; x = (n % w) / w; y = (int(n / w) % h) / h; z = int(n / (w * h)) / d
    u = (x - 0.42) / 0.22; v = (y - 0.48) / 0.36; t = (z - (0.62 - 0.35 * y)) / 0.15
    inside = u * u + v * v + t * t < 1
    print (inside && $1 < 0.95 * mean && $1 > 0.3 * mean) ? (y > 0.53 ? 1 : 2) : 0
  }' /tmp/values | save "$case"
done
