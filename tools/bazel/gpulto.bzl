"""gpulto as a C++ toolchain of Bazel.

In WORKSPACE:

    local_repository(name = "rules_gpulto", path = "<prefix>/share/gpulto/bazel")
    load("@rules_gpulto//:gpulto.bzl", "gpulto_toolchain")
    gpulto_toolchain(name = "gpulto", architectures = ["sm_90"])
    register_toolchains("@gpulto//:toolchain")

cc_library, cc_binary and cc_test then take CUDA sources, and what is built with -c
opt is optimized as one program, host and device code. features = ["-gpulto"] of a
target or a package, or --features=-gpulto, builds without.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load(
    "@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl",
    "env_entry",
    "env_set",
    "feature",
    "flag_group",
    "flag_set",
    "tool_path",
    "with_feature_set",
)

_COMPILE = [
    ACTION_NAMES.c_compile,
    ACTION_NAMES.cpp_compile,
    ACTION_NAMES.cpp_header_parsing,
]
_LINK = [
    ACTION_NAMES.cpp_link_executable,
    ACTION_NAMES.cpp_link_dynamic_library,
    ACTION_NAMES.cpp_link_nodeps_dynamic_library,
]

def _flags(actions, flags, **arguments):
    return flag_set(
        actions = actions,
        flag_groups = [flag_group(flags = flags)],
        **arguments
    )

def _config_impl(ctx):
    cuda = ctx.attr.cuda
    defaults = _flags(
        _COMPILE,
        # C and C++ sources have no use for the last two.
        ["-Wno-unused-command-line-argument", "--cuda-path=" + cuda] +
        ["--offload-arch=" + name for name in ctx.attr.architectures],
    )
    modes = [
        _flags(_COMPILE, flags, with_features = [with_feature_set([mode])])
        for mode, flags in [("opt", ["-O2", "-DNDEBUG"]), ("dbg", ["-g"])]
    ]
    optimized = [with_feature_set(["opt"])]
    libraries = _flags(
        _LINK,
        ["-lstdc++", "-lm", "-L" + cuda + "/lib64", "-lcudart", "-Wl,-rpath," + cuda + "/lib64"],
    )
    features = [
        feature(name = "opt"),
        feature(name = "dbg"),
        feature(name = "supports_pic", enabled = True),
        feature(name = "supports_dynamic_linker", enabled = True),
        feature(name = "gpulto_defaults", enabled = True, flag_sets = [defaults] + modes),
        feature(name = "gpulto", enabled = True, flag_sets = [
            _flags(_COMPILE + _LINK, ["-flto=gpu"], with_features = optimized),
            _flags(_LINK, ["--gpulto-cuda-path=" + cuda], with_features = optimized),
        ]),
        # For keys of actions: another gpulto makes other objects.
        feature(name = "gpulto_identity", enabled = True, env_sets = [env_set(
            actions = _COMPILE + _LINK,
            env_entries = [env_entry("GPULTO_IDENTITY", ctx.attr.identity)],
        )]),
        feature(name = "gpulto_libraries", enabled = True, flag_sets = [libraries]),
    ]
    programs = dict(
        {name: ctx.attr.tools + "/" + name for name in ["ar", "gcov", "nm", "objcopy", "objdump", "strip"]},
        cpp = ctx.attr.compiler,
        gcc = ctx.attr.compiler,
        ld = ctx.attr.tools + "/ld",
    )
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        toolchain_identifier = "gpulto",
        host_system_name = "local",
        target_system_name = "x86_64-linux",
        target_cpu = "k8",
        target_libc = "glibc",
        compiler = "clang",
        abi_version = "gcc",
        abi_libc_version = "glibc",
        tool_paths = [tool_path(name = name, path = path) for name, path in programs.items()],
        cxx_builtin_include_directories = ctx.attr.directories,
        features = features,
    )

gpulto_toolchain_config = rule(
    implementation = _config_impl,
    doc = "What Bazel must know of gpulto-clang; gpulto_toolchain writes one.",
    attrs = {
        "architectures": attr.string_list(),
        "compiler": attr.string(mandatory = True),
        "cuda": attr.string(mandatory = True),
        "directories": attr.string_list(),
        "identity": attr.string(mandatory = True),
        "tools": attr.string(mandatory = True),
    },
    provides = [CcToolchainConfigInfo],
)

_BUILD = """load("{rules}", "gpulto_toolchain_config")

package(default_visibility = ["//visibility:public"])

filegroup(name = "empty")

gpulto_toolchain_config(
    name = "config",
    architectures = {architectures},
    compiler = "{compiler}",
    cuda = "{cuda}",
    directories = {directories},
    identity = "{identity}",
    tools = "{tools}",
)

cc_toolchain(
    name = "cc",
    all_files = ":empty",
    compiler_files = ":empty",
    dwp_files = ":empty",
    linker_files = ":empty",
    objcopy_files = ":empty",
    strip_files = ":empty",
    supports_param_files = 1,
    toolchain_config = ":config",
)

toolchain(
    name = "toolchain",
    exec_compatible_with = ["@platforms//os:linux", "@platforms//cpu:x86_64"],
    target_compatible_with = ["@platforms//os:linux", "@platforms//cpu:x86_64"],
    toolchain = ":cc",
    toolchain_type = "@bazel_tools//tools/cpp:toolchain_type",
)
"""

def _found_cuda(repository_ctx):
    """The toolkit: as asked for, or as gpulto-clang++ looks for it."""
    nvcc = repository_ctx.which("nvcc")
    for candidate in [
        repository_ctx.attr.cuda,
        repository_ctx.os.environ.get("CUDA_PATH"),
        str(nvcc.realpath.dirname.dirname) if nvcc else "",
        "/usr/local/cuda",
    ]:
        if candidate and repository_ctx.path(candidate + "/include/cuda_runtime.h").exists:
            return candidate
    fail("no CUDA toolkit was found; set CUDA_PATH, or cuda of gpulto_toolchain")

def _searched(repository_ctx, compiler):
    """The directories in which the compiler looks for headers of C and C++."""
    found = repository_ctx.execute([compiler, "-E", "-v", "-xc++", "/dev/null"])
    if found.return_code:
        fail("%s does not run: %s" % (compiler, found.stderr))
    listed = found.stderr.split("#include <...> search starts here:")[1]
    return [line.strip() for line in listed.split("End of search list")[0].splitlines() if line.strip()]

def _toolchain_impl(repository_ctx):
    rules = Label("//:gpulto.bzl")

    # These rules lie in <prefix>/share/gpulto/bazel.
    prefix = repository_ctx.attr.prefix or \
             str(repository_ctx.path(rules).realpath.dirname.dirname.dirname.dirname)
    compiler = prefix + "/bin/gpulto-clang" # takes .c for C
    if not repository_ctx.path(compiler).exists:
        fail("there is no %s; set prefix of gpulto_toolchain" % compiler)
    cuda = _found_cuda(repository_ctx)
    named = _searched(repository_ctx, compiler) + [prefix, cuda]
    paths = [repository_ctx.path(name) for name in named]
    directories = {
        str(name): None
        for path in paths
        for name in [path, path.realpath]
    }.keys()
    said = repository_ctx.execute([compiler, "--version"])
    archiver = repository_ctx.which("ar") or fail("there is no ar on PATH")
    repository_ctx.file("BUILD", _BUILD.format(
        architectures = repr(repository_ctx.attr.architectures),
        compiler = compiler,
        cuda = cuda,
        directories = repr(list(directories)),
        identity = said.stdout.splitlines()[-1],
        rules = str(rules),
        tools = str(archiver.dirname),
    ))

gpulto_toolchain = repository_rule(
    implementation = _toolchain_impl,
    doc = "Makes a repository with //:toolchain, the C and C++ toolchain of gpulto.",
    attrs = {
        "architectures": attr.string_list(
            default = [],
            doc = "What --offload-arch= is given, as in gpulto-clang++.",
        ),
        "cuda": attr.string(doc = "The toolkit; default: CUDA_PATH, nvcc's, /usr/local/cuda."),
        "prefix": attr.string(doc = "Where gpulto is installed; default: where this file is."),
    },
    environ = ["CUDA_PATH", "PATH"],
    configure = True,
    local = True,
)
