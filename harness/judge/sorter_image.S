// The sorter as data in the judge. SORTER is its path.
  .section .rodata
  .balign 16
  .global sorter_image, sorter_image_end
sorter_image:
  .incbin SORTER
sorter_image_end:
  .byte 0
  .section .note.GNU-stack, "", %progbits
