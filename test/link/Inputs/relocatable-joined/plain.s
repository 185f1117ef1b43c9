.globl fromAssembly
fromAssembly: ret
.section .note.GNU-stack,"",@progbits
