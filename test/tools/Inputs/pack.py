"""Packs a made-up tree with the functions of scripts/package.

usage: pack.py ROOT TREE STARTERS OUTPUT

Writes a tarball, a wheel and a Debian package of TREE, whose programs need no
libraries; STARTERS are what the wheel has in bin.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import importlib.util
import pathlib
import shutil
import sys
from importlib.machinery import SourceFileLoader

TIME = 1234567890  # of the commit, odd seconds included

root, tree, starters, output = (pathlib.Path(word).resolve() for word in sys.argv[1:])
loader = SourceFileLoader("package", str(root / "scripts" / "package"))
package = importlib.util.module_from_spec(
    importlib.util.spec_from_loader("package", loader))
sys.dont_write_bytecode = True
loader.exec_module(package)
package.shared_libraries = lambda tree: ["libc6 (>= 2.34)"]
package.llvm_version = lambda: "1:22.1.8"

output.mkdir()
package.tarball(tree, "gpulto-1-linux-x86_64", output, TIME)
package.wheel(tree, starters, output, TIME)
usr = output / "deb" / "usr"
shutil.copytree(tree, usr)  # with the times of files
doc = usr / "share" / "doc" / "gpulto"
doc.mkdir(parents=True)
shutil.copy(root / "LICENSE", doc)
package.deb(usr.parent, output, TIME, "Some Body <body@some.invalid>")
