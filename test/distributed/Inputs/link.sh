# link.sh DRIVER CUDA OUTPUT [OPTION...]: links the objects of generate.py; says
# what is left beside the output and in TMPDIR. Ends as the link does.
driver=$1 cuda=$2 output=$3
shift 3
mkdir -p tmp
TMPDIR=$PWD/tmp "$driver" -flto=gpu --gpulto-partitions=1to1 main.o u0.o u1.o \
  libu.a -o "$output" --gpulto-cuda-path="$cuda" -L"$cuda/lib64" -lcudart "$@"
status=$?
[ -z "$(ls -A tmp)" ] || echo "temporary files are left: $(ls -A tmp)"
ls -d "$output".gpulto-* "$output".tmp-* *.json 2>/dev/null |
  sed 's/^/left: /'
exit $status
