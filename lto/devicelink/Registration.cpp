//===- Registration.cpp - The host object that holds the device code ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The generated code, in C:
//
//   extern const char image[]; // hidden; in .nv_fatbin of an object of its own
//   static const struct { int magic, version; const void *data, *unused; }
//       wrapper __attribute__((section(".nvFatBinSegment")));
//   static void **handle;
//   static const struct { const void *stub; const char *name; } kernels[];
//   static void unregisterImage(void) { __cudaUnregisterFatBinary(handle); }
//   __attribute__((constructor(101))) static void registerImage(void) {
//     handle = __cudaRegisterFatBinary(&wrapper);
//     for (each kernel)
//       __cudaRegisterFunction(handle, stub, name, name, -1, 0, 0, 0, 0, 0);
//     for (each variable) __cudaRegisterVar(...), __cudaRegisterManagedVar(...)
//     __cudaRegisterFatBinaryEnd(handle);
//     atexit(unregisterImage);
//   }
//   void __gpulto_init_managed(void) { // if host code uses managed variables
//     __cudaInitModule(handle);
//   }
//
// for each unit of registration. Where host code of nvcc registers kernels and
// variables with the same fat binary, it does so through a function that it
// calls in a constructor and that a device link defines, one for each id of
// nvcc's. Constructors of a lower priority than ours run later, so the handle
// exists; the last call ends the registration instead:
//
//   void __cudaRegisterLinkedBinary_<id>(void (*callback)(void **), ...) {
//     callback(handle);
//     if (--waiting == 0)
//       __cudaRegisterFatBinaryEnd(handle);
//   }
//
// The tables name the live stubs and variables directly. Tables between
// __start_ and __stop_ symbols, as clang's offload wrapper has them, do not
// survive --gc-sections and would list dead kernels too.
//
// Source: the calls are those of clang's CGCUDANV.cpp and of
// crt/host_runtime.h of CUDA 13.0; the runtime's own priority is 101. The
// functions for nvcc are called as crt/host_runtime.h does it and do what those
// of crt/link.stub do.
//
//===----------------------------------------------------------------------===//

#include "fatobj/DeviceImage.h"
#include "fatobj/NvccObject.h"
#include "fatobj/SectionObject.h"
#include "lto/devicelink/DeviceLink.h"
#include "lto/host/HostCodegen.h"
#include "lto/lgen/ManagedVariables.h"
#include "support/Error.h"
#include "support/StableHash.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gpulto {

static constexpr uint32_t kFatbinWrapperMagic = 0x466243b1;
static constexpr uint32_t kFatbinWrapperVersion = 1;
static constexpr unsigned kFatbinAlignment = 16;
static constexpr int kConstructorPriority = 101;

//===----------------------------------------------------------------------===//
// The fat binary
//===----------------------------------------------------------------------===//

static Expected<std::string> makeFatbinary(std::vector<DeviceProgram> programs,
                                           ImageCompression compression,
                                           unsigned threads) {
  std::vector<DeviceImage> images;
  StringSet<> seen;
  for (DeviceProgram &program : programs) {
    if (!seen.insert(program.arch).second)
      return makeError("two device programs for " + program.arch);
    auto arch = parseArch(program.arch);
    if (!arch)
      return arch.takeError();
    EmbedKind embed = program.embed;
    bool wantsCubin = embed != EmbedKind::Ptx && !program.cubin.empty();
    if (embed == EmbedKind::Cubin && !wantsCubin)
      return makeError("no cubin for " + program.arch +
                       ": ptxas is needed for --gpulto-embed=cubin");
    if (wantsCubin) {
      DeviceImage image;
      image.kind = DeviceImage::Kind::Cubin;
      image.arch = *arch;
      image.bytes = std::move(program.cubin);
      images.push_back(std::move(image));
    }
    if (embed == EmbedKind::Cubin)
      continue;
    DeviceImage image;
    image.kind = DeviceImage::Kind::Ptx;
    image.arch = *arch;
    image.bytes = std::move(program.ptx);
    images.push_back(std::move(image));
  }
  return writeFatbinary(images, compression, threads);
}

Expected<FatbinaryObject>
makeFatbinaryObject(std::vector<DeviceProgram> programs, StringRef targetTriple,
                    ImageCompression compression, unsigned threads) {
  auto fatbinary = makeFatbinary(std::move(programs), compression, threads);
  if (!fatbinary)
    return fatbinary.takeError();
  auto machine = elfMachine(targetTriple);
  if (!machine)
    return machine.takeError();
  FatbinaryObject result;
  result.symbol = "__gpulto_fatbin_" + digestOf(StringRef(*fatbinary)).hex();
  auto object =
      makeSectionObject({".nv_fatbin", ELF::SHT_PROGBITS, ELF::SHF_ALLOC,
                         kFatbinAlignment, *fatbinary, result.symbol},
                        *machine);
  if (!object)
    return object.takeError();
  result.object = std::move(*object);
  return result;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

namespace {

class RegistrationBuilder {
public:
  RegistrationBuilder(Module &module)
      : module(module), context(module.getContext()), builder(context),
        pointer(PointerType::getUnqual(context)), word(builder.getInt32Ty()),
        size(module.getDataLayout().getIntPtrType(context)) {}

  Error build(const RegistrationUnit &unit);

  /// Defines the function that fills the pointers to managed variables of all
  /// units that were built.
  void addInitManaged();

private:
  using Row = SmallVector<Constant *, 6>;
  GlobalVariable *addConstant(Constant *value, const Twine &name);
  GlobalVariable *addWrapper(StringRef fatbinary);
  Constant *symbol(StringRef name);
  Constant *string(StringRef text);
  Constant *number(uint64_t value) { return ConstantInt::get(word, value); }
  Function *beginFunction(StringRef name);
  FunctionCallee runtime(StringRef name, Type *result, ArrayRef<Type *> types);
  void addLoop(ArrayRef<Row> rows, StringRef name,
               function_ref<void(ArrayRef<Value *>)> call);
  void registerKernels(ArrayRef<Row> rows, Value *handle);
  void registerVariables(ArrayRef<Row> rows, Value *handle);
  void registerManaged(ArrayRef<Row> rows, Value *handle);
  void endRegistration(Value *handle);
  void addNvccFunctions(ArrayRef<std::string> ids, GlobalVariable *handle);
  void keepSymbols(ArrayRef<std::string> ids);

  Module &module;
  LLVMContext &context;
  IRBuilder<> builder;
  PointerType *pointer;
  IntegerType *word;
  IntegerType *size;
  Function *function = nullptr;
  std::vector<GlobalVariable *> handles; ///< of the units built
};

} // namespace

GlobalVariable *RegistrationBuilder::addConstant(Constant *value,
                                                 const Twine &name) {
  return new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                            GlobalValue::InternalLinkage, value, name);
}

GlobalVariable *RegistrationBuilder::addWrapper(StringRef fatbinary) {
  auto *image = cast<GlobalVariable>(symbol(fatbinary));
  image->setVisibility(GlobalValue::HiddenVisibility);
  Constant *fields[] = {number(kFatbinWrapperMagic),
                        number(kFatbinWrapperVersion), image,
                        ConstantPointerNull::get(pointer)};
  GlobalVariable *wrapper = addConstant(
      ConstantStruct::getAnon(context, fields), "__gpulto_fatbin_wrapper");
  wrapper->setSection(".nvFatBinSegment");
  wrapper->setAlignment(Align(8));
  return wrapper;
}

/// The table takes an address and nothing else, so any type will do.
Constant *RegistrationBuilder::symbol(StringRef name) {
  if (GlobalValue *known = module.getNamedValue(name))
    return known;
  return new GlobalVariable(module, builder.getInt8Ty(), /*isConstant=*/false,
                            GlobalValue::ExternalLinkage, nullptr, name);
}

Constant *RegistrationBuilder::string(StringRef text) {
  GlobalVariable *global =
      addConstant(ConstantDataArray::getString(context, text), "name");
  global->setLinkage(GlobalValue::PrivateLinkage);
  global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return global;
}

Function *RegistrationBuilder::beginFunction(StringRef name) {
  auto *type = FunctionType::get(builder.getVoidTy(), false);
  auto *made =
      Function::Create(type, GlobalValue::InternalLinkage, name, module);
  builder.SetInsertPoint(BasicBlock::Create(context, "entry", made));
  return made;
}

FunctionCallee RegistrationBuilder::runtime(StringRef name, Type *result,
                                            ArrayRef<Type *> types) {
  return module.getOrInsertFunction(name,
                                    FunctionType::get(result, types, false));
}

/// Puts \p rows into a table and, at the insert point, a loop over it that
/// hands the columns of each row to \p call.
void RegistrationBuilder::addLoop(ArrayRef<Row> rows, StringRef name,
                                  function_ref<void(ArrayRef<Value *>)> call) {
  if (rows.empty())
    return;
  std::vector<Constant *> structs;
  for (const Row &row : rows)
    structs.push_back(ConstantStruct::getAnon(context, row));
  auto *rowType = cast<StructType>(structs.front()->getType());
  GlobalVariable *table = addConstant(
      ConstantArray::get(ArrayType::get(rowType, structs.size()), structs),
      name);
  BasicBlock *before = builder.GetInsertBlock();
  BasicBlock *body = BasicBlock::Create(context, "loop", function);
  BasicBlock *after = BasicBlock::Create(context, "done", function);
  builder.CreateBr(body);
  builder.SetInsertPoint(body);
  PHINode *index = builder.CreatePHI(size, 2);
  index->addIncoming(ConstantInt::get(size, 0), before);
  Value *row = builder.CreateInBoundsGEP(rowType, table, index);
  SmallVector<Value *, 6> columns;
  for (unsigned i = 0; i < rowType->getNumElements(); ++i)
    columns.push_back(builder.CreateLoad(
        rowType->getElementType(i), builder.CreateStructGEP(rowType, row, i)));
  call(columns);
  Value *next = builder.CreateAdd(index, ConstantInt::get(size, 1));
  index->addIncoming(next, body);
  builder.CreateCondBr(
      builder.CreateICmpULT(next, ConstantInt::get(size, rows.size())), body,
      after);
  builder.SetInsertPoint(after);
}

void RegistrationBuilder::registerKernels(ArrayRef<Row> rows, Value *handle) {
  FunctionCallee callee =
      runtime("__cudaRegisterFunction", word,
              {pointer, pointer, pointer, pointer, word, pointer, pointer,
               pointer, pointer, pointer});
  Constant *null = ConstantPointerNull::get(pointer);
  Constant *noLimit = ConstantInt::getSigned(word, -1);
  addLoop(rows, "__gpulto_kernels", [&](ArrayRef<Value *> row) {
    builder.CreateCall(callee, {handle, row[0], row[1], row[1], noLimit, null,
                                null, null, null, null});
  });
}

void RegistrationBuilder::registerVariables(ArrayRef<Row> rows, Value *handle) {
  FunctionCallee callee =
      runtime("__cudaRegisterVar", builder.getVoidTy(),
              {pointer, pointer, pointer, pointer, word, size, word, word});
  addLoop(rows, "__gpulto_variables", [&](ArrayRef<Value *> row) {
    builder.CreateCall(callee, {handle, row[0], row[1], row[1], row[3], row[2],
                                row[4], number(0)});
  });
}

void RegistrationBuilder::registerManaged(ArrayRef<Row> rows, Value *handle) {
  FunctionCallee callee =
      runtime("__cudaRegisterManagedVar", builder.getVoidTy(),
              {pointer, pointer, pointer, pointer, word, size, word, word});
  addLoop(rows, "__gpulto_managed", [&](ArrayRef<Value *> row) {
    builder.CreateCall(callee, {handle, row[0], row[1], row[1], row[3], row[2],
                                row[4], number(0)});
  });
}

void RegistrationBuilder::endRegistration(Value *handle) {
  builder.CreateCall(
      runtime("__cudaRegisterFatBinaryEnd", builder.getVoidTy(), {pointer}),
      handle);
}

/// Adds the functions that host code of nvcc calls to register its kernels and
/// variables with the fat binary of \p handle.
void RegistrationBuilder::addNvccFunctions(ArrayRef<std::string> ids,
                                           GlobalVariable *handle) {
  auto *waiting = new GlobalVariable(
      module, word, /*isConstant=*/false, GlobalValue::InternalLinkage,
      number(ids.size()), "__gpulto_nvcc_waiting");
  auto *type = FunctionType::get(builder.getVoidTy(),
                                 {pointer, pointer, pointer, pointer}, false);
  for (const std::string &id : ids) {
    auto *made = Function::Create(type, GlobalValue::ExternalLinkage,
                                  kNvccRegister + id, module);
    made->setVisibility(GlobalValue::HiddenVisibility);
    builder.SetInsertPoint(BasicBlock::Create(context, "entry", made));
    Value *image = builder.CreateLoad(pointer, handle);
    builder.CreateCall(FunctionType::get(builder.getVoidTy(), {pointer}, false),
                       made->getArg(0), image);
    Value *left =
        builder.CreateSub(builder.CreateLoad(word, waiting), number(1));
    builder.CreateStore(left, waiting);
    BasicBlock *last = BasicBlock::Create(context, "last", made);
    BasicBlock *done = BasicBlock::Create(context, "done", made);
    builder.CreateCondBr(builder.CreateICmpEQ(left, number(0)), last, done);
    builder.SetInsertPoint(last);
    endRegistration(image);
    builder.CreateBr(done);
    builder.SetInsertPoint(done);
    builder.CreateRetVoid();
  }
}

/// Has the linker take the host code of the units \p ids from its archives.
void RegistrationBuilder::keepSymbols(ArrayRef<std::string> ids) {
  std::vector<Constant *> wrappers;
  for (const std::string &id : ids)
    wrappers.push_back(symbol((kNvccWrapper + id).str()));
  if (wrappers.empty())
    return;
  GlobalVariable *table = addConstant(
      ConstantArray::get(ArrayType::get(pointer, wrappers.size()), wrappers),
      "__gpulto_nvcc_units");
  appendToUsed(module, table);
}

Error RegistrationBuilder::build(const RegistrationUnit &unit) {
  std::vector<Row> kernels, variables, managed;
  for (const RegistrationEntry &entry : unit.entries) {
    Row row = {symbol(entry.hostSymbol), string(entry.deviceName)};
    if (entry.kind == OffloadEntry::Kind::Kernel) {
      kernels.push_back(row);
      continue;
    }
    if (entry.kind != OffloadEntry::Kind::Variable &&
        entry.kind != OffloadEntry::Kind::Managed)
      return makeError("'" + entry.deviceName +
                       "' is a texture or surface reference, which CUDA 12 "
                       "and newer do not have");
    row.append({ConstantInt::get(size, entry.sizeBytes), number(entry.isExtern),
                number(entry.isConstant)});
    bool isManaged = entry.kind == OffloadEntry::Kind::Managed;
    (isManaged ? managed : variables).push_back(row);
  }

  auto *handle = new GlobalVariable(
      module, pointer, /*isConstant=*/false, GlobalValue::InternalLinkage,
      ConstantPointerNull::get(pointer), "__gpulto_fatbin_handle");
  Function *unregister = beginFunction("__gpulto_unregister");
  builder.CreateCall(
      runtime("__cudaUnregisterFatBinary", builder.getVoidTy(), {pointer}),
      builder.CreateLoad(pointer, handle));
  builder.CreateRetVoid();

  function = beginFunction("__gpulto_register");
  Value *image =
      builder.CreateCall(runtime("__cudaRegisterFatBinary", pointer, {pointer}),
                         addWrapper(unit.fatbinary));
  builder.CreateStore(image, handle);
  registerKernels(kernels, image);
  registerVariables(variables, image);
  registerManaged(managed, image);
  if (unit.nvccIds.empty())
    endRegistration(image);
  builder.CreateCall(runtime("atexit", word, {pointer}), unregister);
  builder.CreateRetVoid();
  appendToGlobalCtors(module, function, kConstructorPriority);
  addNvccFunctions(unit.nvccIds, handle);
  keepSymbols(unit.absentNvccIds);
  handles.push_back(handle);
  return Error::success();
}

void RegistrationBuilder::addInitManaged() {
  function = beginFunction(kInitManaged);
  function->setLinkage(GlobalValue::ExternalLinkage);
  function->setVisibility(GlobalValue::HiddenVisibility);
  FunctionCallee fill =
      runtime("__cudaInitModule", builder.getInt8Ty(), {pointer});
  for (GlobalVariable *handle : handles)
    builder.CreateCall(fill, builder.CreateLoad(pointer, handle));
  builder.CreateRetVoid();
}

Expected<std::string> makeRegistrationObject(ArrayRef<RegistrationUnit> units,
                                             bool usesManaged,
                                             const HostCodegenOptions &codegen,
                                             StringRef targetTriple,
                                             StringRef dataLayout) {
  initializeTargets();
  LLVMContext context;
  Module module("gpulto-registration", context);
  module.setTargetTriple(Triple(targetTriple));
  module.setDataLayout(dataLayout);
  RegistrationBuilder registration(module);
  for (const RegistrationUnit &unit : units)
    if (Error error = registration.build(unit))
      return error;
  if (usesManaged)
    registration.addInitManaged();
  std::string problems;
  raw_string_ostream stream(problems);
  if (verifyModule(module, &stream))
    return makeError("the registration module is invalid: " + problems);
  HostCodegenOptions options = codegen;
  if (options.relocationModel.empty())
    options.relocationModel = "pic"; // right in every kind of output
  auto machine = createHostMachine(module, options, codegen.optLevel);
  if (!machine)
    return machine.takeError();
  return emitHostObject(module, **machine);
}

} // namespace gpulto
