# link.sh PROGRAM INPUT...: links and runs it; leaves PROGRAM.temps.
set -e
app=$1
shift
rm -rf $app $app.temps
gpulto-clang++ -flto=gpu "$@" -o $app --gpulto-save-temps=$app.temps \
  -L$CUDA/lib64 -lcudart -Wl,-rpath,$CUDA/lib64
gpulto-run --emulate ./$app > out
printf 'a 3 5 2\nc 14 2\n' | diff - out
