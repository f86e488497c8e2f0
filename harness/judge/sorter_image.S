// The sorter as data in the judge. SORTER is its path.
  .section .rodata
  .global sorter_image, sorter_image_size
  .balign 16
sorter_image:
  .incbin SORTER
.Lend:
  .balign 8
sorter_image_size:
  .quad .Lend - sorter_image
  .section .note.GNU-stack, "", %progbits
