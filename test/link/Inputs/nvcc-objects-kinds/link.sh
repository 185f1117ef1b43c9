set -e
rm -f app
gpulto-clang++ -flto=gpu "$@" -o app -L$CUDA/lib64 -lcudart \
  -Wl,-rpath,$CUDA/lib64
[ "$(gpulto-run --emulate ./app)" = "ours 8" ]
