# link.sh DRIVER OUTPUT OPTION...
driver=$1 output=$2; shift 2
exec "$driver" -flto=gpu --gpulto-partitions=1to1 --gpulto-jobs=4 \
  f0.o f1.o f2.o f3.o -o "$output" --gpulto-time-trace=$output.trace \
  --gpulto-stats=$output.stats "$@"
