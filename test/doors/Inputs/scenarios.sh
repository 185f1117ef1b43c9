//--- objects
# prints main 7 90
$LINK $O/main.o $O/f.o $O/g.o -o p; ./p
//--- one-native
$LINK $O/main.o $O/f.n.o $O/g.o -o p; ./p
$LINK $O/main.n.o $O/f.o $O/g.o -o p; ./p
$LINK $O/main.n.o $O/f.n.o $O/g.o -o p; ./p
//--- archive-members-needed
# prints main 7 90
ar rc l.a $O/f.o $O/start.o $O/g.o
$LINK $O/main.o l.a -o p; ./p
//--- archive-by-name
mkdir d; ar rc d/libx.a $O/f.o $O/g.o
$LINK $O/main.o -Ld -lx -o p; ./p
$LINK $O/main.o -Ld -l:libx.a -o p; ./p
//--- archive-thin
ar rcT l.a $O/f.o $O/g.o
$LINK $O/main.o l.a -o p; ./p
//--- archive-same-member-names
mkdir a b; cp $O/f.o a/x.o; cp $O/g.o b/x.o
ar qc l.a a/x.o b/x.o
$LINK $O/main.o l.a -o p; ./p
//--- archive-native-needs-lto
ar rc l.a $O/g.o $O/gcallback.o; ar rc m.a $O/fnative.n.o
$LINK $O/main.o m.a l.a -o p; ./p
//--- archive-lto-needs-native
# prints main 80 14
ar rc l.a $O/gcallback.o; ar rc m.a $O/fnative.n.o
$LINK $O/main.o l.a m.a l.a -o p; ./p
//--- archive-order
# mold prefers a strong definition in a later archive.
# only lld gold bfd
ar rc a.a $O/fweak.o; ar rc b.a $O/f.o
$LINK $O/main.o $O/g.o a.a b.a -o p; ./p
$LINK $O/main.o $O/g.o b.a a.a -o p; ./p
//--- groups
ar rc a.a $O/gcallback.o; ar rc b.a $O/fnative.o
$LINK $O/main.o -Wl,--start-group b.a a.a -Wl,--end-group -o p; ./p
//--- whole-archive
# prints begin|main 7 90|end
ar rc l.a $O/start.o $O/f.o $O/g.o
$LINK $O/main.o -Wl,--whole-archive l.a -Wl,--no-whole-archive -o p; ./p
//--- undefined-option
ar rc l.a $O/start.o $O/f.o $O/g.o
$LINK $O/main.o -Wl,-u,started l.a -o p; ./p
//--- strong-over-weak
# prints main 7 90|main 7 90
$LINK $O/main.o $O/fweak.o $O/f.o $O/g.o -o p; ./p
$LINK $O/main.o $O/f.o $O/fweak.o $O/g.o -o p; ./p
//--- native-strong-over-weak
$LINK $O/main.o $O/fweak.o $O/f.n.o $O/g.o -o p; ./p
$LINK $O/main.o $O/f.n.o $O/fweak.o $O/g.o -o p; ./p
//--- strong-over-native-weak
$LINK $O/main.o $O/fweak.n.o $O/f.o $O/g.o -o p; ./p
$LINK $O/main.o $O/f.o $O/fweak.n.o $O/g.o -o p; ./p
//--- weak-twice
$LINK $O/main.o $O/fweak.o $O/weakg.o -o p; ./p
$LINK $O/main.o $O/fweak.o $O/weakg.o $O/g.o -o p; ./p
//--- weak-undefined
$LINK $O/optional.o -o p; ./p
$LINK $O/optional.o $O/hook.o -o p; ./p
$LINK $O/optional.o $O/hook.n.o -o p; ./p
ar rc l.a $O/hook.o; $LINK $O/optional.o l.a -o p; ./p
//--- duplicate-definition
$LINK $O/main.o $O/f.o $O/fother.o $O/g.o -o p > said 2>&1 && exit 1
grep -qi 'f.*\(multiple\|duplicate\)\|\(multiple\|duplicate\).*f' said
echo refused; $LINK $O/main.o $O/f.o $O/g.o -o p
//--- undefined-symbol
$LINK $O/main.o $O/f.o $O/g.o -o q
$LINK $O/undefined.o -o p > said 2>&1 && exit 1
grep -q nowhere said; test ! -e p; echo refused
//--- comdat
$LINKXX $O/comdat1.o $O/comdat2.o -o p; ./p
$LINKXX $O/comdat2.o $O/comdat1.o -o p; ./p
//--- comdat-native
# prints counter 1 2 3|counter 1 2 3|counter 1 2 3
$LINKXX $O/comdat1.n.o $O/comdat2.o -o p; ./p
$LINKXX $O/comdat1.o $O/comdat2.n.o -o p; ./p
$LINKXX $O/comdat2.n.o $O/comdat1.o -o p; ./p
//--- common
# prints common 5 1 2|common 5 1 2
$LINK $O/common1.o $O/common2.o -o p; ./p
$LINK $O/common2.o $O/common1.o -o p; ./p
//--- common-native
$LINK $O/common1.o $O/common2.n.o -o p; ./p
$LINK $O/common1.n.o $O/common2.o -o p; ./p
//--- common-and-definition
# bfd warns of sizes, but it knows none of bitcode's.
exec 2> /dev/null
$LINK $O/common1.o $O/strongdata.o -o p; ./p
$LINK $O/common1.o $O/strongdata.n.o -o p; ./p
$LINK $O/common1.n.o $O/strongdata.o -o p; ./p
//--- hidden
$LINK $O/main.o $O/hidden.o $O/usehidden.o -o p; ./p
$LINK $O/main.n.o $O/hidden.n.o $O/usehidden.o -o p; ./p
$LINK $O/main.n.o $O/hidden.o $O/usehidden.n.o -o p; ./p
//--- hidden-shared
$LINK -shared $O/hidden.o $O/usehidden.o -o libh.so
nm -D libh.so | grep -c 'hiddenData\| f$' || true
$LINK -Wl,-rpath,. $O/main.o $O/f.o libh.so -o p; ./p
//--- protected
$LINK -shared $O/protected.o -o libp.so
$LINK -Wl,-rpath,. $O/main.o libp.so $O/fother.o -o p; ./p
//--- shared-library
$LINK -shared $O/f.o $O/g.o -o libfg.so
$LINK -Wl,-rpath,. $O/main.n.o libfg.so -o p; ./p
$LINK -Wl,-rpath,. $O/main.o libfg.so -o p; ./p
nm -D --defined-only libfg.so | awk '{print $3}' | grep '^[fg]' | sort
//--- shared-native
$LINK -shared $O/f.n.o $O/g.n.o -o libfg.so || exit 1
$LINK -Wl,-rpath,. $O/main.o libfg.so -o p; ./p
//--- shared-defines-too
$LINK -shared $O/fother.n.o -o libf.so || exit 1
$LINK -Wl,-rpath,. $O/main.o $O/g.o $O/f.o libf.so -o p; ./p
$LINK -Wl,-rpath,. $O/main.o $O/g.o libf.so $O/fweak.o -o p; ./p
//--- interposition
# prints level 220
$LINK -shared $O/preempt.o -o libi.so
$LINK -Wl,-rpath,. $O/preemptmain.o libi.so -o p; ./p
//--- interposition-by-native
$LINK -shared $O/preempt.o -o libi.so
$LINK -Wl,-rpath,. $O/preemptmain.n.o libi.so -o p; ./p
//--- executable-serves-library
$LINK -shared $O/exported.n.o -o libe.so || exit 1
$LINK -Wl,-rpath,. $O/mainexport.o libe.so -o p; ./p
//--- copy-relocation
$LINK -shared $O/copylib.o -o libc1.so
$LINK -no-pie -Wl,-rpath,. $O/copy.o libc1.so -o p; ./p
//--- bsymbolic
$LINK -shared -Wl,-Bsymbolic $O/preempt.o -o libi.so
$LINK -Wl,-rpath,. $O/preemptmain.o libi.so -o p; ./p
//--- version-script
echo '{ global: g; local: *; };' > v
$LINK -shared -Wl,--version-script=v $O/f.o $O/g.o -o libg.so
nm -D --defined-only libg.so | awk '{print $3}'
$LINK -Wl,-rpath,. $O/main.o $O/fother.o libg.so -o p; ./p
//--- version-nodes
printf 'V1 { global: f; };\nV2 { global: g; local: *; } V1;\n' > v
$LINK -shared -Wl,--version-script=v $O/f.o $O/g.o -o libg.so
nm -D --defined-only libg.so | awk '{print $3}' | grep '[fg]@' | sort
$LINK -Wl,-rpath,. $O/main.o libg.so -o p; ./p
//--- symbol-versions
printf 'V1 { global: v; };\nV2 { global: v; local: *; } V1;\n' > v
$LINK -shared -Wl,--version-script=v $O/version.o -o libv.so
nm -D --defined-only libv.so | awk '{print $3}' | grep '^v@' | sort
$LINK -Wl,-rpath,. $O/usev.o libv.so -o p; ./p
//--- rdynamic
$LINK -rdynamic $O/self.o -o p; ./p
$LINK $O/self.o -o p; ./p
//--- dynamic-list
echo '{ visible; };' > list
$LINK -Wl,--dynamic-list=list $O/self.o -o p; ./p
//--- export-dynamic-symbol
$LINK -Wl,--export-dynamic-symbol=visible $O/self.o -o p; ./p
//--- dlopen
# prints plugin 2002, kept 0
$LINK -shared $O/plug.o -o plug.so
$LINK -rdynamic $O/loader.o -o p; ./p
//--- gc-sections
$LINK -Wl,--gc-sections $O/main.o $O/f.o $O/g.o $O/start.n.o -o p; ./p
//--- section-sets
# prints set 21|set 21|set 21
$LINK $O/sets1.o $O/sets2.o -o p; ./p
$LINK $O/sets1.n.o $O/sets2.o -o p; ./p
$LINK $O/sets1.o $O/sets2.n.o -o p; ./p
//--- section-sets-collected
# only gold bfd mold
$LINK -Wl,--gc-sections $O/sets1.o $O/sets2.o -o p; ./p
//--- linker-script-inputs
# only lld gold bfd
ar rc libx.a $O/g.o
echo "INPUT($O/f.o) GROUP(./libx.a)" > libboth.so
$LINK $O/main.o ./libboth.so -o p; ./p
//--- linker-script-symbols
# only lld bfd
echo 'SECTIONS { scriptSymbol = 0x1234; aliasOfF = f; } INSERT AFTER .text;' > s
$LINK -no-pie $O/script.o $O/f.o -Wl,-T,s -o p; ./p
//--- defsym
$LINK -no-pie $O/script.o $O/f.o -Wl,--defsym=scriptSymbol=0x99,--defsym=aliasOfF=f -o p; ./p
//--- entry
$LINK -nostdlib -static $O/entry.o $O/f.o -Wl,-e,myEntry -o p; ./p
//--- wrap
# prints wrapped 3|wrapped 4|main 9 110
$LINK -Wl,--wrap=f $O/main.o $O/f.o $O/g.o $O/wrapper.o -o p; ./p
//--- wrap-next-word
$LINK -Wl,--wrap,f $O/main.o $O/wrapper.o $O/g.o $O/f.o -o p; ./p
//--- wrap-native
$LINK -Wl,--wrap=f $O/main.o $O/f.n.o $O/g.o $O/wrapper.o -o p; ./p
$LINK -Wl,--wrap=f $O/main.o $O/f.o $O/g.o $O/wrapper.n.o -o p; ./p
$LINK -Wl,--wrap=f $O/main.n.o $O/f.o $O/g.o $O/wrapper.o -o p; ./p
$LINK -Wl,--wrap=f $O/main.n.o $O/f.o $O/g.n.o $O/wrapper.o -o p; ./p
//--- wrap-itself
$LINK -Wl,--wrap=f $O/main.o $O/f.o $O/g.o $O/wrapboth.o -o p; ./p
//--- wrap-inside
$LINK -Wl,--wrap=f $O/wrapmain.o $O/wraplocal.o $O/wrapper.o -o p; ./p
//--- wrap-libc
# prints allocations 2
$LINK -Wl,--wrap=malloc $O/malloc.o $O/wrapmalloc.o -o p; ./p
//--- wrap-archive
ar rc l.a $O/f.o $O/g.o $O/wrapper.o
$LINK -Wl,--wrap=f $O/main.o l.a -o p; ./p
//--- wrap-generated
# prints copied 6 set 0 wrapped 11|copied 6 set 0 wrapped 11
$LINK -Wl,--wrap=memcpy,--wrap=memset $O/blocks.o $O/blockcopy.o $O/wrapcopy.o -o p; ./p
$LINK -Wl,--wrap=memcpy,--wrap=memset $O/blocks.o $O/blockcopy.n.o $O/wrapcopy.n.o -o p; ./p
//--- wrap-generated-archive
ar rc l.a $O/wrapcopy.o
$LINK -Wl,--wrap=memcpy,--wrap=memset $O/blocks.o $O/blockcopy.o l.a -o p; ./p
ar rc m.a $O/blockcopy.o $O/wrapcopy.n.o
$LINK -Wl,--wrap=memcpy,--wrap=memset $O/blocks.o m.a -o p; ./p
//--- wrap-generated-only
# Nothing but generated code has the name.
$LINK -nostdlib -static -Wl,-e,start,--wrap=memcpy,--wrap=memset $O/bare.o $O/blockcopy.o $O/wrapcopy.o -o p
./p || echo status $?
//--- wrap-generated-shared
$LINK -shared -nostdlib -Wl,--wrap=memcpy,--wrap=memset $O/blockcopy.o $O/wrapcopy.o -o libc.so
nm -D libc.so | grep -c 'U mem' || true
//--- wrap-math
# prints remainder 4
$LINK -Wl,--wrap=fmod $O/remainder2.o $O/wrapfmod.o -o p; ./p
//--- exclude-libs
ar rc la.a $O/in1.o; ar rc lb.a $O/in2.o
echo '{ global: in*; local: *; };' > v; echo '{ in1; in2; };' > d
L="-Wl,--whole-archive la.a lb.a -Wl,--no-whole-archive"
link() { $LINK "$@" -o out 2> said; nm -D --defined-only out | awk '$3 ~ /^in/ {print $3}' | sort; }
link -shared -Wl,--exclude-libs,ALL $O/inner.o la.a lb.a
link -shared -Wl,--exclude-libs,ALL,--version-script=v $O/inner.o la.a lb.a
link -shared -Wl,--exclude-libs=lb.a,--version-script=v $O/inner.o la.a lb.a
link -shared -Wl,--exclude-libs,ALL,-Bsymbolic,--version-script=v $O/inner.o $L
link -shared -Wl,--exclude-libs,ALL,--dynamic-list=d $O/inner.o la.a lb.a
link -Wl,--export-dynamic,--exclude-libs,lb.a $O/inmain.o la.a lb.a; ./out
link -Wl,--export-dynamic,--exclude-libs,lb.a,--wrap=in2 $O/inmain.o $O/wrapin.o la.a lb.a; ./out
//--- exclude-libs-list
# mold 1.10 hangs.
# only lld gold bfd
ar rc la.a $O/in1.o; ar rc lb.a $O/in2.o
echo '{ global: in*; local: *; };' > v
for list in none.a,lb.a lb.a:in2.o la.a:lb.a; do
  $LINK -shared -Xlinker --exclude-libs=$list -Wl,--version-script=v $O/inner.o la.a lb.a -o l.so
  nm -D --defined-only l.so | grep -o ' in[12]' || echo none
done
//--- exclude-libs-native
ar rc la.a $O/in1.n.o; ar rc lb.a $O/in2.o
echo '{ global: in*; local: *; };' > v
$LINK -shared -Wl,--exclude-libs,ALL,--version-script=v $O/inner.o la.a lb.a -o l.so
nm -D --defined-only l.so | grep -c ' in[12]' || true
$LINK -shared -Wl,--exclude-libs,ALL,--version-script=v $O/inner.n.o la.a lb.a -o l.so
nm -D --defined-only l.so | grep -c ' in[12]' || true
//--- exclude-libs-thin
ar rcT la.a $O/in1.o; ar rcT lb.a $O/in2.o
echo '{ global: in*; local: *; };' > v
$LINK -shared -Wl,--exclude-libs,lb.a,--version-script=v $O/inner.o la.a lb.a -o l.so
nm -D --defined-only l.so | awk '{print $3}' | grep '^in[12]'
//--- exclude-libs-without-suffix
# only gold bfd
ar rc liba.a $O/in1.o; ar rc libb.a $O/in2.o
$LINK -shared -Wl,--exclude-libs,liba $O/inner.o liba.a libb.a -o l.so
nm -D --defined-only l.so | awk '{print $3}' | grep '^in[12]'
//--- exclude-libs-export-symbol
# only lld bfd
ar rc la.a $O/in1.o; ar rc lb.a $O/in2.o
$LINK -shared -Wl,--exclude-libs,ALL,--export-dynamic-symbol=in1 $O/inner.o la.a lb.a -o l.so
nm -D --defined-only l.so | grep -c ' in[12]' || true
//--- relocatable
$LINK -r $O/f.o $O/g.o -o fg.o
$LINK $O/main.o fg.o -o p; ./p
//--- relocatable-twice
$LINK -r $O/f.o $O/static2.o -o a.o; $LINK -r a.o $O/g.o -o b.o
$LINK $O/main.o b.o -o p; ./p
//--- relocatable-start
$LINK -r $O/start.o $O/startearly.o -o s.o
$LINK $O/main.o $O/f.o $O/g.o s.o $O/startlate.o -o p; ./p
//--- tls
$LINK $O/tls.o $O/tls2.o -o p; ./p
$LINK $O/tls.n.o $O/tls2.o -o p; ./p
$LINK $O/tls.o $O/tls2.n.o -o p; ./p
//--- tls-shared
$LINK -shared $O/tls2.o -o libt.so
$LINK -Wl,-rpath,. $O/tls.o libt.so -o p; ./p
//--- constructors
$LINK $O/start.o $O/startlate.o $O/startearly.o $O/main.o $O/f.o $O/g.o -o p; ./p
//--- constructors-native
$LINK $O/startlate.n.o $O/startearly.o $O/main.o $O/f.o $O/g.o -o p; ./p
//--- constructors-shared
$LINK -shared $O/start.o -o libs.so
$LINK -Wl,-rpath,. -Wl,--no-as-needed $O/main.o $O/f.o $O/g.o libs.so -o p; ./p
//--- init-and-fini
# prints loaded|main 7 90|unloaded
$LINK -shared -Wl,-init,atLoad,-fini,atUnload $O/hooks.o -o libi.so
$LINK -Wl,-rpath,. -Wl,--no-as-needed $O/main.o $O/f.o $O/g.o libi.so -o p; ./p
//--- init-and-fini-hidden
echo '{ local: *; };' > v
$LINK -shared -Wl,-init,atLoad,-fini,atUnload,--version-script=v $O/hooks.o -o libi.so
$LINK -Wl,-rpath,. -Wl,--no-as-needed $O/main.o $O/f.o $O/g.o libi.so -o p; ./p
//--- map-file
$LINK -Wl,-Map,map $O/main.o $O/f.o $O/g.o -o p; ./p; grep -c '[^_]main$' map
//--- ifunc
$LINK $O/main.o $O/ifunc.o $O/g.o -o p; ./p
//--- alias
$LINK $O/main.o $O/alias.o -o p; ./p
//--- statics-of-one-name
$LINK $O/static1.o $O/static2.o -o p; ./p
//--- static-executable
$LINK -static $O/main.o $O/f.o $O/g.o -o p; ./p
//--- static-pie
# only lld bfd mold
$LINK -static-pie $O/main.o $O/f.o $O/g.o -o p; ./p
//--- no-pie
$LINK -no-pie $O/main.o $O/f.o $O/g.o -o p; ./p
//--- exceptions
$LINKXX $O/throw.o $O/classes.o -o p; ./p
$LINKXX $O/throw.n.o $O/classes.o -o p; ./p
//--- exceptions-shared
$LINKXX -shared $O/classes.o -o libk.so
$LINKXX -Wl,-rpath,. $O/throw.o libk.so -o p; ./p
//--- late-reference
# prints remainder 203
ar rc l.a $O/fmod.o
$LINK $O/remainder.o l.a -o p; ./p
//--- assembly
$LINK $O/assembly.o $O/f.o -o p; ./p
//--- slim
$LINK $O/main.slim.o $O/f.slim.o $O/g.o -o p; ./p
ar rc l.a $O/f.slim.o $O/g.slim.o
$LINK $O/main.slim.o l.a -o p; ./p
//--- stock-objects
$LINK $O/main.stock.o $O/f.o $O/g.stock.o -o p; ./p
//--- bitcode
$LINK $O/main.bc.o $O/f.o $O/g.bc.o -o p; ./p
//--- response-file
echo "$O/f.o $O/g.o" > args
echo "--wrap=f" > ldargs
$LINK $O/main.o @args -Wl,@ldargs $O/wrapper.o -o p; ./p
//--- stripped
strip --strip-unneeded $O/f.o -o f.o
$LINK $O/main.o f.o $O/g.o -o p; ./p
//--- edited-symbols
link() { $LINK "$@" -o p > said 2>&1; ./p; }
objcopy --redefine-sym f=fOld $O/g.o g.o
link $O/main.o $O/f.o $O/rename.o g.o
objcopy --weaken-symbol=f $O/f.o f.o
link $O/main.o f.o $O/fother.o $O/g.o
objcopy --globalize-symbol=state $O/static1.o s.o
objcopy --redefine-sym state=otherState $O/static2.o t.o
link s.o t.o
//--- edited-names
for tool in objcopy llvm-objcopy; do
  $tool --prefix-symbols=x_ $O/f.o f.o
  $tool --redefine-sym f=x_f $O/main.o main.o
  $LINK main.o f.o $O/fother.o $O/g.o -o p > said 2>&1; ./p
done
//--- threads
INPUTS="$O/main.o $O/f.o $O/g.o $O/start.o $O/startlate.o $O/startearly.o"
for i in 1 2 3; do
  case $LINK in
    *gold*) $LINK -Wl,--threads,--thread-count=4 $INPUTS -o p;;
    *) $LINK $INPUTS -o p;;
  esac
  ./p
done
//--- cuda
# prints cuda 100 104 106 109 count 1
$LINKXX $O/kernels1.o $O/kernels2.o $CUDART -o p; $EMULATE ./p
//--- cuda-archive
ar rc l.a $O/kernels2.o $O/f.o
$LINKXX $O/kernels1.o l.a $CUDART -o p; $EMULATE ./p
//--- cuda-shared
$LINKXX -shared -Wl,-z,defs -Wl,--as-needed $O/kernels2.o $CUDART -o libk.so
nm -D libk.so | grep -c gpulto || true
$LINKXX -Wl,-rpath,. $O/kernels1.o ./libk.so $CUDART -o p; $EMULATE ./p
//--- cuda-relocatable
$LINKXX -r $O/kernels1.o $O/kernels2.o -o k.o
$LINKXX k.o $CUDART -o p; $EMULATE ./p
//--- cuda-collected
$LINKXX -Wl,--gc-sections $O/kernels1.o $O/kernels2.o $CUDART -o p; $EMULATE ./p
