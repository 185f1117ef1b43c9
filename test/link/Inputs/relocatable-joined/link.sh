set -e
rm -f app
gpulto-clang++ -flto=gpu "$@" -o app -L$CUDA/lib64 -lcudart \
  -Wl,-rpath,$CUDA/lib64
gpulto-run --emulate ./app > out
printf 'pick 2 shared 1 2 common 7 local 5 6\nkernel 3 5 count 2\n' | diff - out
