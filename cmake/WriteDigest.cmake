# cmake -DFILES=<file>... -DOUTPUT=<header> -P WriteDigest.cmake
# Writes a header that defines GPULTO_LGEN_DIGEST, a digest of the files.
set(digests)
foreach(file IN LISTS FILES)
  file(SHA256 "${file}" digest)
  string(APPEND digests "${digest}")
endforeach()
list(LENGTH FILES count)
if(count GREATER 1)
  string(SHA256 digests "${digests}")
endif()
string(SUBSTRING "${digests}" 0 16 digest)
file(WRITE "${OUTPUT}" "#define GPULTO_LGEN_DIGEST \"${digest}\"\n")
