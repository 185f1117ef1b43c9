//===- Options.td - every user option of gpulto ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one table of gpulto's own options. Read by the compiler drivers
// (gpulto-clang++, gpulto-clang), by ld.lld's front and the linker plugin, and
// by tools/checks/gen_options_doc.py, which writes docs/options.md from it.
//
// Every option is one token (a flag or a joined value), so that it survives
// -Xlinker unchanged and can be taken out of a foreign command line without
// knowing that line's other options. The visibility says who acts on it:
//
//   CompileOption  the driver, when it compiles
//   LinkOption     the driver hands it to the linker, the linker acts on it
//   LinkerOption   the linker only; the driver writes it from options of
//                  clang's, users need not
//
// Thresholds and tuning values are not here but in support/Params.def; they
// are set with --gpulto-param=.
//
//===----------------------------------------------------------------------===//

include "llvm/Option/OptParser.td"

def CompileOption : OptionVisibility;
def LinkOption : OptionVisibility;
def LinkerOption : OptionVisibility;

defvar Both = [CompileOption, LinkOption];

//===----------------------------------------------------------------------===//
// Switching gpulto on
//===----------------------------------------------------------------------===//

def lto_gpu : Flag<["-"], "flto=gpu">, Visibility<Both>,
  HelpText<"Optimize the host and device code of the whole program together "
           "at link time; pass it both when compiling and when linking">;

def hidden_entities : Flag<["--"], "gpulto-hidden-entities">,
  Visibility<[CompileOption]>,
  HelpText<"Hide kernels and device variables from other programs and "
           "libraries, as nvcc 13 does, unless the source sets their "
           "visibility">;

//===----------------------------------------------------------------------===//
// Work and its limits
//===----------------------------------------------------------------------===//

def jobs : Joined<["--"], "gpulto-jobs=">, Visibility<Both>, MetaVarName<"<N>">,
  HelpText<"Run at most <N> jobs at once; the default is what make's jobserver "
           "grants or, without one, the number of cores">;

def jobserver : Joined<["--"], "gpulto-jobserver=">, Visibility<Both>,
  MetaVarName<"<auto|strict|off>">, Values<"auto,strict,off">,
  HelpText<"Use make's jobserver: 'auto' also finds it when the recipe lacks "
           "'+', and works without one; 'strict' fails unless MAKEFLAGS names "
           "one that the link can use, 'off' ignores it">;

def memory : Joined<["--"], "gpulto-memory=">, Visibility<[LinkOption]>,
  MetaVarName<"<size>">,
  HelpText<"Let all jobs together, including those of other running links, "
           "take at most <size> bytes of this machine's memory; K, M, G and T "
           "are units of 1024, '50%' is half of what is free; the default is "
           "80%. A job that needs more runs alone, with a warning">;

def distributor : Joined<["--"], "gpulto-distributor=">,
  Visibility<[LinkOption]>, MetaVarName<"<program>">,
  HelpText<"Have <program> run the jobs of the link, for example on other "
           "machines: gpulto-slurm, gpulto-parallel, or a program that speaks "
           "the JSON protocol of LLVM's distributed ThinLTO">;

def distributor_arg : Joined<["--"], "gpulto-distributor-arg=">,
  Visibility<[LinkOption]>, MetaVarName<"<arg>">,
  HelpText<"Pass <arg> to the distributor; may be given several times">;

def emit : Joined<["--"], "gpulto-emit=">, Visibility<[LinkOption]>,
  MetaVarName<"<ninja|make>">, Values<"ninja,make">,
  HelpText<"Instead of a program, make a build file in <output>.gpulto-jobs "
           "that runs the jobs of the link and then links">;

def job_directory : Joined<["--"], "gpulto-job-directory=">,
  Visibility<[LinkOption]>, MetaVarName<"<dir>">,
  HelpText<"Put what --gpulto-emit= writes in <dir>, or what a distributor and "
           "the link exchange in a directory below <dir>, which all machines "
           "see; the default is beside the output">;

def partitions : Joined<["--"], "gpulto-partitions=">, Visibility<[LinkOption]>,
  MetaVarName<"<N|auto|coarse|fine|one|max|1to1>">,
  HelpText<"Aim at <N> partitions of even weight on the host, and at <N> of "
           "device code for each architecture; files with different -O levels "
           "or module-wide options share none, and cuts lie where edits "
           "seldom move them, so there may be fewer or more. 'coarse' and "
           "'fine' decide by size, 'auto' (default) is 'fine' with a cache "
           "and 'coarse' without, 'one' makes as few as possible, 'max' one "
           "per function or kernel, '1to1' one per input file">;

def param : Joined<["--"], "gpulto-param=">, Visibility<Both>,
  MetaVarName<"<name>=<value>">,
  HelpText<"Set a threshold of an optimization; the names, ranges and defaults "
           "are listed under Parameters">;

//===----------------------------------------------------------------------===//
// Keeping results for later links
//===----------------------------------------------------------------------===//

def cache_dir : Joined<["--"], "gpulto-cache-dir=">, Visibility<[LinkOption]>,
  MetaVarName<"<dir>">,
  HelpText<"Keep the results of link-time jobs in <dir> and reuse them in "
           "later links; the program is the same, and any number of links may "
           "share <dir>">;

def cache_policy : Joined<["--"], "gpulto-cache-policy=">,
  Visibility<[LinkOption]>, MetaVarName<"<policy>">,
  HelpText<"Set what the cache removes and when, as for lld's "
           "--thinlto-cache-policy=: "
           "prune_interval=20m:prune_after=7d:"
           "cache_size=75%:cache_size_bytes=0:cache_size_files=1000000 is the "
           "default">;

//===----------------------------------------------------------------------===//
// Device code
//===----------------------------------------------------------------------===//

def embed : Joined<["--"], "gpulto-embed=">, Visibility<[LinkOption]>,
  MetaVarName<"<ptx|cubin|both>">, Values<"ptx,cubin,both">,
  HelpText<"Select the forms of device code that the program carries; the "
           "default is 'both' when ptxas is found, else 'ptx'">;

def compress : Joined<["--"], "gpulto-compress=">, Visibility<Both>,
  MetaVarName<"<default|size|speed|balance|all|none>">,
  Values<"default,size,speed,balance,all,none">,
  HelpText<"Compress the device code that the program carries as nvcc's "
           "--compress-mode= does ('all': as --compress-all): 'size' also "
           "compresses cubins. Of the modes that objects were compiled with, "
           "the one that saves most space counts, unless the link has the "
           "option; the default is 'balance'">;

def cuda_path : Joined<["--"], "gpulto-cuda-path=">, Visibility<[LinkOption]>,
  MetaVarName<"<dir>">,
  HelpText<"Take ptxas, nvlink and fatbinary from the CUDA toolkit in <dir>; "
           "the default is clang's --cuda-path, CUDA_PATH, the toolkit of nvcc "
           "on PATH, or /usr/local/cuda">;

def ptxas_arg : Joined<["--"], "gpulto-ptxas-arg=">, Visibility<[LinkOption]>,
  MetaVarName<"<arg>">,
  HelpText<"Pass <arg> to every ptxas run of the link; -Xcuda-ptxas does the "
           "same">;

def tool_timeout : Joined<["--"], "gpulto-tool-timeout=">,
  Visibility<[LinkOption]>, MetaVarName<"<seconds>">,
  HelpText<"Stop the link when one run of ptxas or nvlink takes longer than "
           "<seconds>; 0 waits forever; the default is 7200">;

def check_kernels : Joined<["--"], "gpulto-check-kernels=">,
  Visibility<[LinkOption]>, MetaVarName<"<ptxas|off>">, Values<"ptxas,off">,
  HelpText<"Compare ptxas's figures for each kernel that whole-program "
           "analysis changed with those of its plain build, and undo the "
           "changes if it spills more or fewer of its blocks fit on a "
           "multiprocessor; the default is 'ptxas' for code compiled at -O2 "
           "and above">;

def icf : Joined<["--"], "gpulto-icf=">, Visibility<[LinkOption]>,
  MetaVarName<"<safe|all|none>">, Values<"safe,all,none">,
  HelpText<"Fold functions and kernels that do the same: 'safe' (default) "
           "only where no program can tell, 'all' also functions whose "
           "address is taken, 'none' nothing">;

def icf_kernels : Joined<["--"], "gpulto-icf-kernels=">,
  Visibility<[LinkOption]>, MetaVarName<"<launch|register>">,
  Values<"launch,register">,
  HelpText<"Fold kernels by launching one in place of the other ('launch', "
           "the default), or by registering their handles for one kernel "
           "('register'), which also folds kernels whose address is taken">;

def graph_nodes : Joined<["--"], "gpulto-graph-nodes=">,
  Visibility<[LinkOption]>, MetaVarName<"<any|unchanged>">,
  Values<"any,unchanged">,
  HelpText<"Say how unseen code, such as programs that load this library, "
           "runs launches in graphs that it captured or received: with any "
           "arguments and geometry ('any', the default), or as they were made "
           "('unchanged')">;

def guarded_kernels : Flag<["-"], "fgpulto-guarded-kernels">,
  Visibility<[LinkOption]>,
  HelpText<"Make a second version of kernels for likely arguments that make "
           "it worthwhile (multiples of 4, aligned pointers that do not "
           "overlap, sizes that fit 32 bits or less), and choose between the "
           "two at the launch; the default">;

def no_guarded_kernels : Flag<["-"], "fno-gpulto-guarded-kernels">,
  Visibility<[LinkOption]>,
  HelpText<"Make no second versions of kernels">;

def transfers : Flag<["-"], "fgpulto-transfers">,
  Visibility<[LinkOption]>,
  HelpText<"Do not make copies between host and device whose bytes are there "
           "already or that nobody reads, in code that is compiled with -O2 or "
           "more; the default">;

def no_transfers : Flag<["-"], "fno-gpulto-transfers">,
  Visibility<[LinkOption]>,
  HelpText<"Make all copies; say only which need not be made. The default with "
           "-fgpulto-trace-host">;

def transfer_epochs : Flag<["-"], "fgpulto-transfer-epochs">,
  Visibility<[LinkOption]>,
  HelpText<"Where a copy between host and device may be the same as the last "
           "time, let the program note whether its memory is written in "
           "between, and make the copy only then">;

def no_transfer_epochs : Flag<["-"], "fno-gpulto-transfer-epochs">,
  Visibility<[LinkOption]>,
  HelpText<"Note nothing of that kind; the default">;

//===----------------------------------------------------------------------===//
// The output
//===----------------------------------------------------------------------===//

def relocatable : Joined<["--"], "gpulto-relocatable=">,
  Visibility<[LinkOption]>, MetaVarName<"<lto|native>">, Values<"lto,native">,
  HelpText<"With -r, 'lto' (default) joins the native code, bitcode and device "
           "code of the objects, to be optimized with the program that the "
           "result is linked into; 'native' optimizes them now and makes "
           "native code with a device program of its own">;

//===----------------------------------------------------------------------===//
// Inputs that are not optimized
//===----------------------------------------------------------------------===//

def warn_skipped : Flag<["-"], "Wgpulto-skipped">, Visibility<[LinkOption]>,
  HelpText<"Warn about each input whose native code is linked though it could "
           "have been compiled with -flto=gpu, and say why; inputs of the "
           "system and the toolchain do not count">;

def no_warn_skipped : Flag<["-"], "Wno-gpulto-skipped">,
  Visibility<[LinkOption]>,
  HelpText<"Do not warn about inputs that are not optimized; without any of "
           "these options, gpulto warns about objects whose bitcode cannot be "
           "used">;

def error_skipped : Flag<["-"], "Werror=gpulto-skipped">,
  Visibility<[LinkOption]>,
  HelpText<"Make the warnings of -Wgpulto-skipped errors">;

def no_error_skipped : Flag<["-"], "Wno-error=gpulto-skipped">,
  Visibility<[LinkOption]>,
  HelpText<"Make them warnings again">;

def allow_native : Joined<["--"], "gpulto-allow-native=">,
  Visibility<[LinkOption]>, MetaVarName<"<glob>">,
  HelpText<"Do not warn about native inputs whose path, file name or "
           "archive(member) matches <glob>; may be given several times">;

def prefix_map : Joined<["--"], "gpulto-prefix-map=">,
  Visibility<[LinkOption]>, MetaVarName<"<old>=<new>">,
  HelpText<"Write <new> for <old> at the start of paths in the program's note; "
           "-ffile-prefix-map= does the same">;

def input_root : Joined<["--"], "gpulto-input-root=">,
  Visibility<[LinkOption]>, MetaVarName<"<copies>=<directory>">,
  HelpText<"Take the inputs below <copies> for those of a saved link in "
           "<directory>: the program's note gives their original names">;

//===----------------------------------------------------------------------===//
// Accesses to memory
//===----------------------------------------------------------------------===//

def error_uncoalesced : Flag<["-"], "Werror=gpulto-uncoalesced">,
  Visibility<[LinkOption]>,
  HelpText<"Make each access of a kernel to global memory that wastes bandwidth "
           "an error; gpulto explain --memory prints them, too">;

def no_error_uncoalesced : Flag<["-"], "Wno-error=gpulto-uncoalesced">,
  Visibility<[LinkOption]>,
  HelpText<"Do not; this is the default">;

def allow_uncoalesced : Joined<["--"], "gpulto-allow-uncoalesced=">,
  Visibility<[LinkOption]>, MetaVarName<"<glob>">,
  HelpText<"Not in kernels whose name, with or without parameters or mangled, "
           "matches <glob>, nor in source files whose path does; may be given "
           "several times">;

//===----------------------------------------------------------------------===//
// Looking inside
//===----------------------------------------------------------------------===//

def verbose : Flag<["--"], "gpulto-verbose">, Visibility<Both>,
  HelpText<"Print what gpulto decides and the commands it runs to standard "
           "error">;

def progress : Joined<["--"], "gpulto-progress=">, Visibility<[LinkOption]>,
  MetaVarName<"<auto|on|off>">, Values<"auto,on,off">,
  HelpText<"Show the stage of the link, the jobs done and running, the one "
           "that has run longest, their memory and the time left: 'on' "
           "rewrites one line, 'auto' (default) does so on a terminal and "
           "elsewhere prints a line every 10 s">;

def stats : Joined<["--"], "gpulto-stats=">, Visibility<[LinkOption]>,
  MetaVarName<"<file>">,
  HelpText<"Write time, bytes, memory, partitions and jobs of each stage of "
           "the link to <file> as JSON">;

def time_trace : Joined<["--"], "gpulto-time-trace=">,
  Visibility<[LinkOption]>, MetaVarName<"<file>">,
  HelpText<"Write a timeline of the link to <file> in Chrome's trace format">;

def remarks : Joined<["--"], "gpulto-remarks=">, Visibility<[LinkOption]>,
  MetaVarName<"<file>">,
  HelpText<"Write every remark of the link-time optimizations to <file>; "
           "-fsave-optimization-record writes <output>.opt.ld.yaml">;

def remarks_format : Joined<["--"], "gpulto-remarks-format=">,
  Visibility<[LinkOption]>, MetaVarName<"<yaml|bitstream>">,
  HelpText<"Write the file of remarks in this format of LLVM's; the default is "
           "'yaml'. The driver passes it for -fsave-optimization-record=">;

def remarks_passes : Joined<["--"], "gpulto-remarks-passes=">,
  Visibility<[LinkerOption]>, MetaVarName<"<regex>">,
  HelpText<"Write only remarks of the passes whose names match <regex> to the "
           "file; the driver passes it for -foptimization-record-passes=">;

def cmake_architectures : Joined<["--"], "gpulto-cmake-architectures=">,
  Visibility<[CompileOption]>, MetaVarName<"<list>">,
  HelpText<"Compile for the architectures that CMAKE_CUDA_ARCHITECTURES "
           "lists, separated by commas: for 80 a program carries a cubin and "
           "PTX, for 80-real a cubin, for 80-virtual PTX; --cuda-gpu-arch=, "
           "which CMake passes to clang whatever the list says, then has no "
           "effect. The toolchain files pass this option">;

def print_native : Flag<["--"], "gpulto-print-native">,
  Visibility<[CompileOption]>,
  HelpText<"Print what 'native' stands for, as CMake writes it (90-real), and "
           "exit">;

def trace_host : Flag<["-"], "fgpulto-trace-host">, Visibility<Both>,
  HelpText<"Have host code tell the emulator what it reads and writes, for "
           "gpulto-run --transfers=; pass it both when compiling and when "
           "linking">;

def save_temps : Flag<["--"], "gpulto-save-temps">, Visibility<Both>,
  HelpText<"Keep the intermediate files next to the output, in "
           "<output>.gpulto-temps">;

def save_temps_EQ : Joined<["--"], "gpulto-save-temps=">, Visibility<Both>,
  MetaVarName<"<dir>">,
  HelpText<"Keep the intermediate files in <dir>">;

def save_link : Joined<["--"], "gpulto-save-link=">, Visibility<[LinkOption]>,
  MetaVarName<"<dir>">,
  HelpText<"Write to <dir> all that is needed to repeat the link, or one of "
           "its jobs, on another machine, for bug reports">;

//===----------------------------------------------------------------------===//
// Written by the driver for the linker
//===----------------------------------------------------------------------===//

def end_with_parent : Flag<["--"], "gpulto-end-with-parent">,
  Visibility<[LinkerOption]>,
  HelpText<"Stop the link when the process that started it ends; the driver "
           "passes it, so that a killed driver leaves no linker running">;

def results : Joined<["--"], "gpulto-results=">, Visibility<[LinkerOption]>,
  MetaVarName<"<dir>">,
  HelpText<"Take the results of jobs from <dir>; the build file of "
           "--gpulto-emit= passes it to the linker">;

def mold : Joined<["--"], "gpulto-mold=">, Visibility<[LinkerOption]>,
  MetaVarName<"<program>">,
  HelpText<"Resolve symbols only and have <program>, mold, do the link; the "
           "driver passes it for -fuse-ld=mold">;

def rpass : Joined<["--"], "gpulto-rpass=">, Visibility<[LinkerOption]>,
  MetaVarName<"<regex>">,
  HelpText<"Print remarks on optimizations done by the passes whose names "
           "match <regex>; the driver passes it for -Rpass=">;

def rpass_missed : Joined<["--"], "gpulto-rpass-missed=">,
  Visibility<[LinkerOption]>, MetaVarName<"<regex>">,
  HelpText<"Print remarks on optimizations missed by the passes whose names "
           "match <regex>; the driver passes it for -Rpass-missed=">;

def rpass_analysis : Joined<["--"], "gpulto-rpass-analysis=">,
  Visibility<[LinkerOption]>, MetaVarName<"<regex>">,
  HelpText<"Print analysis remarks of the passes whose names match <regex>; "
           "the driver passes it for -Rpass-analysis=">;
