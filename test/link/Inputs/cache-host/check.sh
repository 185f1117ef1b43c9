set -eu
clang="$1 -flto=gpu -O2"
objects="main.o a.o b.o c.o"
# Links with the cache, compares with a link without, and says what was taken
# for its inputs, for its bodies, and what was made.
cached() {
  local name=$1 output=$2
  shift 2
  $clang $objects -o cold/${output##*/} --gpulto-partitions=1to1 "$@"
  $clang $objects -o $output --gpulto-partitions=1to1 "$@" \
    --gpulto-cache-dir=$cache --gpulto-stats=stats 2> log
  cmp $output cold/${output##*/}
  echo "$name" $(for counter in hits-inputs hits-bodies misses; do
    sed -n "s/.*\"cache-$counter\": \([0-9]*\).*/\1/p" stats
  done)
}
mkdir cold
cache=$PWD/cache
cached first app
./app > plain.out
cached again app
mkdir sub && cp $objects sub && cd sub && mkdir cold
cached moved other
cd ..
sed -i 's/sum = 5/sum = 6/' b.cpp && $clang -c b.cpp && cached edited app
sed -i 's/sum = 6/sum = 5/' b.cpp && $clang -c b.cpp && cached "edited back" app
sed -i 's/  return x;/  x ^= x >> 3;\n&/' c.cpp && $clang -c c.cpp
cached longer app
sed -i '/x ^= x >> 3/d' c.cpp && $clang -c c.cpp
cached option app -Wl,--lto-O1 -Wl,--lto-CGO1
$clang $objects -o app --gpulto-partitions=1to1 --gpulto-cache-dir=fresh
cache=fresh
largest() { ls -S fresh/llvmcache-[0-9a-f]* | head -1; }
printf x | dd of=$(largest) bs=1 seek=200 conv=notrunc status=none
cached damaged app && cp log damaged.log
cached mended app
truncate -s 100 $(largest)
cached cut app && cp log cut.log
cached temps app --gpulto-save-temps=temps
ls temps/*.opt.bc > /dev/null
for i in 1 2; do
  $clang $objects -o both$i --gpulto-partitions=1to1 --gpulto-cache-dir=two &
done
wait
cmp both1 app && cmp both2 app && echo both
ls fresh two | grep -v -e ^llvmcache -e : | grep . || echo done
