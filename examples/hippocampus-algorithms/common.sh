# What both algorithms share: reading and writing NIfTI with the tools of busybox. Single volumes, uint8 or float32.

# numbers FILE OFFSET COUNT TYPE: numbers of a file, one a line.
numbers() {
  od -An -v -w4 -j "$2" -N "$3" -t "$4" "$1" | tr -s ' ' '\n' | sed '/^$/d'
}

# open CASE: unpacks the image of a case; sets columns, rows and slices, and writes its values to /tmp/values.
open() {
  zcat "/input/$1/image.nii.gz" > /tmp/image.nii
  set -- $(numbers /tmp/image.nii 42 6 u2) $(numbers /tmp/image.nii 70 2 u2)
  columns=$1 rows=$2 slices=$3 type=$4
  voxels=$((columns * rows * slices))
  # Values begin behind a header of 352 bytes.
  if [ "$type" = 16 ]; then
    numbers /tmp/image.nii 352 $((4 * voxels)) f4 > /tmp/values
  elif [ "$type" = 2 ]; then
    od -An -v -w1 -j 352 -N "$voxels" -t u1 /tmp/image.nii > /tmp/values
  else
    echo "case $1: values of type $type are not read" >&2
    return 1
  fi
}

# save CASE: writes labels (digits on standard input, one a line) on the grid of the opened image.
save() {
  {
    head -c 70 /tmp/image.nii
    printf '\002\000\010\000'
    tail -c +75 /tmp/image.nii | head -c 34
    printf '\000\000\260\103\000\000\000\000\000\000\000\000'
    tail -c +121 /tmp/image.nii | head -c 232
    awk '{ line = line "\\00" $1; if (NR % 256 == 0) { print line; line = "" } } END { if (line != "") print line }' |
      while read -r line; do printf "$line"; done
  } > /tmp/labels.nii
  mkdir -p "/output/$1"
  # Under another name first: what has its final name is complete.
  gzip -c /tmp/labels.nii > "/output/$1/part"
  mv "/output/$1/part" "/output/$1/prediction.nii.gz"
}
