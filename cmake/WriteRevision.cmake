# cmake -DGIT=<program> -DSOURCE=<directory> -DOUTPUT=<file> -P WriteRevision.cmake
# Writes what `git describe` says of the source, empty if it is in no repository.
# A file that says so already is left alone.
set(ENV{GIT_OPTIONAL_LOCKS} 0)
execute_process(
  COMMAND "${GIT}" -C "${SOURCE}" describe --tags --match "v[0-9]*" --always
                   --dirty
  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "${revision}\n" @ONLY)
