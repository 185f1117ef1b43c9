//===- NvccOptions.td - nvcc's options as gpulto-nvcc takes them ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names are those of `nvcc --help` of CUDA 13. HelpText says what becomes of
// the option; docs/from-nvcc.md has it as a table
// (tools/checks/gen_options_doc.py).
//
// nvcc takes every value after a blank or after '=', and every name after one
// dash or two; Value makes all these spellings. What groups say:
//
//   Ignored   changes nothing that is right or wrong: dropped
//   Refused   an error that names the option
//
// Everything else is handled in DriverNvcc.cpp.
//
//===----------------------------------------------------------------------===//

include "llvm/Option/OptParser.td"

def Ignored : OptionGroup<"ignored">;
def Refused : OptionGroup<"refused">;

defvar Dashes = ["--", "-"];

/// A switch with nvcc's long and short name.
multiclass Switch<string long, string short, string help> {
  def NAME : Flag<Dashes, long>, HelpText<help>;
  if !ne(long, short) then
    def NAME#_short : Flag<Dashes, short>, Alias<!cast<Option>(NAME)>;
}

/// An option with a value.
multiclass Value<string long, string short, string value, string help> {
  def NAME : Separate<Dashes, long>, MetaVarName<value>, HelpText<help>;
  def NAME#_EQ : Joined<Dashes, long#"=">, Alias<!cast<Option>(NAME)>;
  if !ne(long, short) then {
    def NAME#_short : Separate<Dashes, short>, Alias<!cast<Option>(NAME)>;
    def NAME#_short_EQ : Joined<Dashes, short#"=">,
                         Alias<!cast<Option>(NAME)>;
  }
}

/// An option whose short form may be joined with its value: -Idir.
multiclass JoinedValue<string long, string short, string value, string help> {
  def NAME : Separate<Dashes, long>, MetaVarName<value>, HelpText<help>;
  def NAME#_EQ : Joined<Dashes, long#"=">, Alias<!cast<Option>(NAME)>;
  def NAME#_short_EQ : Joined<["-"], short#"=">, Alias<!cast<Option>(NAME)>;
  def NAME#_short : JoinedOrSeparate<["-"], short>,
                    Alias<!cast<Option>(NAME)>;
}

multiclass IgnoredSwitch<string long, string short,
                         string help = "No effect"> {
  let Group = Ignored in
  defm NAME : Switch<long, short, help>;
}
multiclass IgnoredValue<string long, string short, string value,
                        string help = "No effect"> {
  let Group = Ignored in
  defm NAME : Value<long, short, value, help>;
}
multiclass RefusedSwitch<string long, string short, string help> {
  let Group = Refused in
  defm NAME : Switch<long, short, help>;
}
multiclass RefusedValue<string long, string short, string value, string help> {
  let Group = Refused in
  defm NAME : Value<long, short, value, help>;
}

//===----------------------------------------------------------------------===//
// What is made
//===----------------------------------------------------------------------===//

defm compile : Switch<"compile", "c", "`-c`">;
defm device_c : Switch<"device-c", "dc", "`-c -fgpu-rdc`">;
defm device_w : Switch<"device-w", "dw", "`-c`">;
defm link : Switch<"link", "link", "Links; the default">;
defm device_link : Switch<"device-link", "dlink", "Makes an object without contents: the link of the program, by gpulto, links the device code">;
defm lib : Switch<"lib", "lib", "Runs `ar rcs` on objects">;
defm run : Switch<"run", "run", "Links and runs the program; runs a program that is given">;
defm run_args : Value<"run-args", "run-args", "<argument>,...", "The program's arguments">;
defm ptx : Switch<"ptx", "ptx", "`--offload-device-only -S`, without link-time optimization">;
defm cubin : Switch<"cubin", "cubin", "`--offload-device-only -c`, without link-time optimization">;
defm preprocess : Switch<"preprocess", "E", "`-E`">;
defm dependencies : Switch<"generate-dependencies", "M", "`-M`">;
defm nonsystem_dependencies : Switch<"generate-nonsystem-dependencies", "MM", "`-MM`">;
defm shared : Switch<"shared", "shared", "`-shared`">;
defm relocatable_link : Switch<"relocatable-link", "r", "`-r`">;
defm output : JoinedValue<"output-file", "o", "<file>", "`-o <file>`">;
defm output_directory : Value<"output-directory", "odir", "<directory>", "Where objects go when there is no `-o`">;
defm relocatable : Value<"relocatable-device-code", "rdc", "<true|false>", "`-fgpu-rdc`, `-fno-gpu-rdc`: whether device symbols of one name in several files are one; calls and uses across files work in any case">;
defm dlto : Switch<"dlink-time-opt", "dlto", "`-fgpu-rdc`, since it makes device code relocatable; gpulto does the rest anyway">;
def lto : Flag<Dashes, "lto">, Alias<dlto>;

defm cuda : RefusedSwitch<"cuda", "cuda", "Refused: there is no `.cu.cpp.ii` file">;
defm fatbin : Switch<"fatbin", "fatbin", "Compiles each image by `--offload-device-only`, without link-time optimization, and runs the toolkit's fatbinary">;
defm optix_ir : RefusedSwitch<"optix-ir", "optix-ir", "Refused">;
defm ltoir : RefusedSwitch<"ltoir", "ltoir", "Refused: objects hold LLVM bitcode">;
defm clean : RefusedSwitch<"clean-targets", "clean", "Refused">;
defm no_device_link : RefusedSwitch<"no-device-link", "nodlink", "Refused: host and device code are linked together">;
defm gen_opt_lto : RefusedSwitch<"gen-opt-lto", "gen-opt-lto", "Refused">;
defm entries : RefusedValue<"entries", "e", "<entry>,...", "Refused: gpulto finds the live kernels itself">;
defm ewp : RefusedSwitch<"extensible-whole-program", "ewp", "Refused">;

//===----------------------------------------------------------------------===//
// Architectures
//===----------------------------------------------------------------------===//

defm arch : Value<"gpu-architecture", "arch", "<arch>", "`--offload-arch=<arch>`, with the images that nvcc makes of it: `sm_90` a cubin and PTX, `all` and `all-major` cubins and PTX of the newest `sm_<N>0`, `native` cubins for the GPUs of this machine. Default: the lowest that the toolkit's ptxas knows">;
defm gpu_code : Value<"gpu-code", "code", "<code>,...", "With `-arch=compute_<N>`, as in `-gencode`">;
defm gencode : Value<"generate-code", "gencode", "<specification>", "`--offload-arch=` of each code, with `--cuda-include-ptx=` or `--no-cuda-include-ptx=`: the program holds exactly these images. A code whose number differs from its `arch=` (`arch=compute_80,code=sm_86`) is refused: the source is compiled for its code, and a different `__CUDA_ARCH__` would break libraries such as CUB, whose host code asks a kernel what it was compiled for">;

//===----------------------------------------------------------------------===//
// Preprocessor, languages, files
//===----------------------------------------------------------------------===//

defm define_macro : JoinedValue<"define-macro", "D", "<macro>,...", "`-D<macro>`">;
defm undefine_macro : JoinedValue<"undefine-macro", "U", "<macro>,...", "`-U<macro>`">;
defm include_path : JoinedValue<"include-path", "I", "<path>,...", "`-I<path>`">;
defm pre_include : Value<"pre-include", "include", "<file>,...", "`-include <file>`">;
defm isystem : Value<"system-include", "isystem", "<path>,...", "`-isystem <path>`">;
defm dependencies_too : Switch<"generate-dependencies-with-compile", "MD", "`-MD`">;
defm nonsystem_dependencies_too : Switch<"generate-nonsystem-dependencies-with-compile", "MMD", "`-MMD`">;
defm dependency_output : Value<"dependency-output", "MF", "<file>", "`-MF <file>`">;
defm dependency_phony : Switch<"generate-dependency-targets", "MP", "`-MP`">;
defm dependency_target : Value<"dependency-target-name", "MT", "<target>", "`-MT <target>`">;
defm language : JoinedValue<"x", "x", "<c|c++|cu>", "`-x <language>`, `cu` as `cuda`, which is accepted, too">;
defm std : Value<"std", "std", "<standard>", "`-std=<standard>`; no effect on C sources">;
defm no_exceptions : Switch<"no-exceptions", "noeh", "`-fno-exceptions`">;
defm template_backtrace : Value<"ftemplate-backtrace-limit", "ftemplate-backtrace-limit", "<limit>", "The same">;
defm template_depth : Value<"ftemplate-depth", "ftemplate-depth", "<limit>", "The same">;

//===----------------------------------------------------------------------===//
// Optimization, code, debugging
//===----------------------------------------------------------------------===//

defm optimize : JoinedValue<"optimize", "O", "<level>", "`-O<level>` for host code; device code is compiled with `-O3`, as nvcc does. Default: 0 with `-g` or `-G`, else 3">;
defm debug : Switch<"debug", "g", "`-g`">;
defm device_debug : Switch<"device-debug", "G", "`-g -O0` for device code, `-D__CUDACC_DEBUG__`">;
defm lineinfo : Switch<"generate-line-info", "lineinfo", "`-gline-tables-only` for device code">;
defm profile : Switch<"profile", "pg", "`-pg`">;
defm fast_math : Switch<"use_fast_math", "use_fast_math", "`-fgpu-flush-denormals-to-zero -fgpu-approx-transcendentals`, with more fast functions than clang uses (`expf`, `exp10f`, `powf`, `log10f`, `tanf`, and `tanhf` with CUDA 13), and `--prec-div=false --prec-sqrt=false` unless these are given">;
defm ftz : Value<"ftz", "ftz", "<true|false>", "`-fgpu-flush-denormals-to-zero`, `-fno-gpu-flush-denormals-to-zero`">;
defm fmad : Value<"fmad", "fmad", "<true|false>", "`-ffp-contract=fast`, `-ffp-contract=off`, for device code">;
defm prec_div : Value<"prec-div", "prec-div", "<true|false>", "`false`: `-fapprox-func` for device code, which makes single-precision divisions approximate">;
defm prec_sqrt : Value<"prec-sqrt", "prec-sqrt", "<true|false>", "`true`, the default: `sqrtf` is correctly rounded, unlike clang's">;
defm maxrregcount : Value<"maxrregcount", "maxrregcount", "<N>", "`-Xcuda-ptxas --maxrregcount=<N>`: for kernels without launch bounds: those of the files compiled with it, or all if the link gets it">;
defm default_stream : Value<"default-stream", "default-stream", "<legacy|null|per-thread>", "`-Xclang -fgpu-default-stream=`; `per-thread` defines `CUDA_API_PER_THREAD_DEFAULT_STREAM`, for host sources as well">;
defm restrict : IgnoredSwitch<"restrict", "restrict", "No effect: gpulto finds out what does not overlap">;
defm vectorization : IgnoredSwitch<"extra-device-vectorization", "extra-device-vectorization">;
defm relaxed_constexpr : Switch<"expt-relaxed-constexpr", "expt-relaxed-constexpr", "`-D__CUDACC_RELAXED_CONSTEXPR__`; the rest is always so">;
defm extended_lambda : Switch<"extended-lambda", "extended-lambda", "`-D__CUDACC_EXTENDED_LAMBDA__`; the rest is always so">;
def expt_extended_lambda : Flag<Dashes, "expt-extended-lambda">, Alias<extended_lambda>;
defm machine : IgnoredValue<"machine", "m", "<64>", "No effect: always so">;
defm m64 : IgnoredSwitch<"m64", "m64", "No effect: always so">;
defm random_seed : IgnoredValue<"frandom-seed", "frandom-seed", "<seed>", "No effect: objects are reproducible">;
defm source_in_ptx : IgnoredSwitch<"source-in-ptx", "src-in-ptx">;
defm compress_mode : Value<"compress-mode", "compress-mode", "<default|size|speed|balance|none>", "`--gpulto-compress=<mode>`; objects keep it for the link">;
defm no_compress : Switch<"no-compress", "no-compress", "`--gpulto-compress=none`">;
defm template_stub : IgnoredValue<"static-global-template-stub", "static-global-template-stub", "<true|false>", "No effect: without `-rdc=true` a file launches its own instance of a kernel template, and a file without one launches another file's, as with `false`">;
defm hidden_entities : Value<"device-entity-has-hidden-visibility", "device-entity-has-hidden-visibility", "<true|false>", "`true`, the default: `--gpulto-hidden-entities`">;
defm jump_tables : IgnoredValue<"jump-table-density", "jtd", "<number>">;

defm fast_compile : RefusedValue<"Ofast-compile", "Ofc", "<level>", "Refused">;
defm dopt : Value<"dopt", "dopt", "<on>", "With `-G`: device code is optimized and has only line numbers">;
defm opt_info : Value<"optimization-info", "opt-info", "<inline>", "`-Rpass=inline -Rpass-missed=inline`, for device code when compiling, for all when linking">;
defm keep_functions : RefusedSwitch<"keep-device-functions", "keep-device-functions", "Refused; `__attribute__((used))` keeps a function">;
defm stack_protector : RefusedValue<"device-stack-protector", "device-stack-protector", "<true|false>", "Refused">;
defm relocatable_ptx : RefusedSwitch<"relocatable-ptx", "reloc-ptx", "Refused">;
defm sanitize : RefusedValue<"sanitize", "sanitize", "<tool>", "Refused">;
defm no_init_list : RefusedSwitch<"no-host-device-initializer-list", "nohdinitlist", "Refused">;
defm no_move_forward : RefusedSwitch<"no-host-device-move-forward", "nohdmoveforward", "Refused">;
defm tools_patch : RefusedSwitch<"compile-as-tools-patch", "astoolspatch", "Refused">;

//===----------------------------------------------------------------------===//
// Other tools and libraries
//===----------------------------------------------------------------------===//

defm compiler_options : Value<"compiler-options", "Xcompiler", "<options>,...", "The options themselves: clang compiles host code, with LLVM's OpenMP if that is one of them. What only GCC knows and changes no code is dropped">;
defm linker_options : Value<"linker-options", "Xlinker", "<options>,...", "`-Xlinker` of each">;
defm ptxas_options : Value<"ptxas-options", "Xptxas", "<options>,...", "`-Xcuda-ptxas` of each; they take effect when linking, `-maxrregcount` also when compiling">;
defm library : JoinedValue<"library", "l", "<library>,...", "`-l<library>`; `-lomp` for `gomp`">;
defm library_path : JoinedValue<"library-path", "L", "<path>,...", "`-L<path>`">;
defm cudart : Value<"cudart", "cudart", "<none|shared|static>", "`-lcudart_static` (the default), `-lcudart` or nothing">;
defm resource_usage : Switch<"resource-usage", "res-usage", "`-Xcuda-ptxas -v`: takes effect when linking, for the code of the whole program">;
defm cudadevrt : Value<"cudadevrt", "cudadevrt", "<none|static>", "`-lcudadevrt` (the default), through which kernels launch kernels, or nothing">;
defm compiler_bindir : Value<"compiler-bindir", "ccbin", "<path>", "clang compiles host code, with the headers and libraries of that compiler's GCC: gpulto asks it for `--gcc-install-dir=` and `--sysroot=`. Default: `NVCC_CCBIN` in the environment">;
defm unsupported_compiler : IgnoredSwitch<"allow-unsupported-compiler", "allow-unsupported-compiler">;
defm libdevice : IgnoredValue<"libdevice-directory", "ldir", "<directory>">;
defm frontend_options : Value<"Xcudafe", "Xcudafe", "<options>,...", "`--diag_suppress=<number>`, `--diag_error=`, `--diag_warning=`: as the options of nvcc; others have no effect, as they are about another front end's messages">;

defm fatbin_options : Value<"fatbin-options", "Xfatbin", "<options>,...", "Options for compression, as `--compress-mode`; others are refused">;
defm nvlink_options : Value<"nvlink-options", "Xnvlink", "<options>,...", "`-v`: `-Xcuda-ptxas -v`; those about warnings, debug information and levels: no effect; others are refused, since nvlink does not link the device code">;
defm archive_options : RefusedValue<"archive-options", "Xarchive", "<options>,...", "Refused">;
defm archiver : RefusedValue<"archiver-binary", "arbin", "<path>", "Refused">;
defm target_directory : RefusedValue<"target-directory", "target-dir", "<target>", "Refused">;
defm host_linker_script : Value<"host-linker-script", "hls", "<use-lcs|gen-lcs>", "`gen-lcs` prints a script that puts device code after everything else and augments the linker's own script, for bfd and lld; `use-lcs` links with it">;
defm augment_linker_script : IgnoredSwitch<"augment-host-linker-script", "aug-hls", "No effect: the script always augments">;
defm qpp : RefusedValue<"qpp-config", "qpp-config", "<config>", "Refused">;

//===----------------------------------------------------------------------===//
// The run itself
//===----------------------------------------------------------------------===//

defm threads : Value<"threads", "t", "<N>", "`--gpulto-jobs=<N>`; 0: no limit but make's jobserver and the number of cores">;
def threads_joined : Joined<["-"], "t">, Alias<threads>;
defm split_compile : Value<"split-compile", "split-compile", "<N>", "As `-t`">;
defm split_compile_extended : Value<"split-compile-extended", "split-compile-extended", "<N>", "As `-t`">;
defm jobserver : IgnoredSwitch<"jobserver", "jobserver", "No effect: make's jobserver is always used">;
defm dryrun : Switch<"dryrun", "dryrun", "Prints gpulto's command and exits">;
defm verbose : Switch<"verbose", "v", "Prints gpulto's command, and `-v`">;
defm keep : Switch<"keep", "keep", "`--gpulto-save-temps`; `<file>.ptx`, `<file>.sm_<N>.cubin` and their like are made for each file alone, under nvcc's names">;
def save_temps : Flag<Dashes, "save-temps">, Alias<keep>;
defm keep_directory : Value<"keep-dir", "keep-dir", "<directory>", "`--gpulto-save-temps=<directory>`, where the files under nvcc's names are, too">;
defm forward_compiler : Switch<"forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler", "Options that nvcc does not know are handed to clang">;
defm forward_linker : Switch<"forward-unknown-to-host-linker", "forward-unknown-to-host-linker", "The same">;
defm forward_options : Switch<"forward-unknown-opts", "forward-unknown-opts", "The same">;
defm options_file : Value<"options-file", "optf", "<file>,...", "Options are read from the files">;
defm help : Switch<"help", "h", "Prints this table">;
defm version : Switch<"version", "V", "Prints versions; the toolkit's line is as in nvcc">;

defm no_warnings : Switch<"disable-warnings", "w", "`-w`">;
defm warning_reorder : Switch<"Wreorder", "Wreorder", "`-Wreorder`">;
defm warning_declarations : Switch<"Wno-deprecated-declarations", "Wno-deprecated-declarations", "The same">;
defm errors : Value<"Werror", "Werror", "<kind>,...", "`all-warnings`: `-Werror`; `reorder` and `deprecated-declarations`: `-Werror=<kind>`; `cross-execution-space-call`: always so; other kinds, for which clang has no warning, are refused">;
defm warning_targets : IgnoredSwitch<"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets">;
defm warning_stream : IgnoredSwitch<"Wdefault-stream-launch", "Wdefault-stream-launch">;
defm warning_bounds : IgnoredSwitch<"Wmissing-launch-bounds", "Wmissing-launch-bounds">;
defm warning_this : IgnoredSwitch<"Wext-lambda-captures-this", "Wext-lambda-captures-this">;
defm error_number : IgnoredSwitch<"display-error-number", "err-no">;
defm no_error_number : IgnoredSwitch<"no-display-error-number", "no-err-no">;
defm diag_error : Value<"diag-error", "diag-error", "<number>,...", "20054 (`__shared__` variables that are not constructed): `-Werror=cuda-compat`; other numbers have no effect">;
defm diag_suppress : Value<"diag-suppress", "diag-suppress", "<number>,...", "20054: `-Wno-cuda-compat`; other numbers have no effect">;
defm diag_warn : Value<"diag-warn", "diag-warn", "<number>,...", "20054: `-Wno-error=cuda-compat`; other numbers have no effect">;
defm brief_diagnostics : IgnoredValue<"brief-diagnostics", "brief-diag", "<true|false>">;
defm objtemp : IgnoredSwitch<"objdir-as-tempdir", "objtemp">;
defm no_profile : IgnoredSwitch<"dont-use-profile", "noprof">;

defm list_code : RefusedSwitch<"list-gpu-code", "code-ls", "Refused">;
defm list_arch : RefusedSwitch<"list-gpu-arch", "arch-ls", "Refused">;
defm syntax_only : RefusedSwitch<"fdevice-syntax-only", "fdevice-syntax-only", "Refused">;
defm time_trace : RefusedValue<"fdevice-time-trace", "fdevice-time-trace", "<file>", "Refused; `--gpulto-time-trace=` does it for the link">;
defm time : Value<"time", "time", "<file>", "Appends a row for each command to nvcc's table; `--gpulto-stats=` shows the inside of a link">;

//===----------------------------------------------------------------------===//
// Clang's, as CMake writes them, which asks a compiler what it is
//===----------------------------------------------------------------------===//

def offload_arch : Joined<["--"], "offload-arch=">, MetaVarName<"<arch>">, HelpText<"The same, for CMake, which takes gpulto-nvcc for clang">;
def cuda_gpu_arch : Joined<["--"], "cuda-gpu-arch=">, MetaVarName<"<arch>">, HelpText<"The same; no effect where CMake's toolchain file passes its list">;
def cuda_include_ptx : Joined<["--"], "cuda-include-ptx=">, MetaVarName<"<arch>">, HelpText<"The same, for CMake">;
def no_cuda_include_ptx : Joined<["--"], "no-cuda-include-ptx=">, MetaVarName<"<arch>">, HelpText<"The same, for CMake">;
def cuda_path : Joined<["--"], "cuda-path=">, MetaVarName<"<directory>">, HelpText<"The same">;
def flto_gpu : Flag<["-"], "flto=gpu">, Group<Ignored>, HelpText<"No effect: always so">;
