// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Names.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace fusec::codegen {

/// Longer identifiers make lines that cannot be wrapped.
static constexpr size_t kMaxLength = 48;

std::string toIdentifier(llvm::StringRef text) {
  std::string name;
  for (char c : text) {
    bool usable = llvm::isAlnum(c);
    if (usable && name.empty() && llvm::isDigit(c))
      name = "n";
    if (usable)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  // Cut between words where there are any.
  if (name.size() > kMaxLength) {
    size_t cut = name.rfind('_', kMaxLength);
    name.resize(cut == name.npos ? kMaxLength : cut);
  }
  while (!name.empty() && name.back() == '_')
    name.pop_back();
  return name;
}

static llvm::StringSet<> split(llvm::ArrayRef<llvm::StringLiteral> lines) {
  llvm::StringSet<> set;
  for (llvm::StringRef line : lines) {
    llvm::SmallVector<llvm::StringRef> words;
    line.split(words, ' ', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef word : words)
      set.insert(word);
  }
  return set;
}

/// Macros are written so by convention, those of the C library (INT8_MAX,
/// SIGINT, BYTE_ORDER, OVERFLOW) and those of whoever includes a model's
/// header.
/// A number at the end makes another name of it: that is how declare avoids
/// one, whose results are declared again in inner scopes.
static bool looksLikeMacro(llvm::StringRef name) {
  auto [begin, end] = name.rsplit('_');
  if (!end.empty() &&
      llvm::all_of(end, [](char c) { return llvm::isDigit(c); }))
    return false;
  return name.size() > 2 && llvm::all_of(name, [](char c) {
           return llvm::isUpper(c) || llvm::isDigit(c) || c == '_';
         });
}

bool isKeyword(llvm::StringRef name) {
  static constexpr llvm::StringLiteral words[] = {
      "alignas alignof and and_eq asm auto bitand bitor bool break case catch "
      "char char16_t char32_t class compl const const_cast constexpr continue "
      "decltype default delete do double dynamic_cast else enum explicit "
      "export extern false float for friend goto if inline int long mutable "
      "namespace new noexcept not not_eq nullptr operator or or_eq private "
      "protected public register reinterpret_cast restrict return short "
      "signed sizeof static static_assert static_cast struct switch template "
      "this thread_local throw true try typedef typeid typename union "
      "unsigned using virtual void volatile wchar_t while xor xor_eq concept "
      "requires co_await co_return co_yield char8_t consteval constinit "
      "final override import module",
      "NULL EOF INFINITY NAN HUGE_VAL INT32_MIN INT64_MIN assert errno linux "
      "unix i386 stdin stdout stderr I math_errhandling P_tmpdir L_tmpnam "
      "L_ctermid L_cuserid",
  };
  static const llvm::StringSet<> keywords = split(words);
  return keywords.contains(name) || looksLikeMacro(name) ||
         name.starts_with("FUSEC_") || name.starts_with("fusec_");
}

bool isReservedName(llvm::StringRef name) {
  static constexpr llvm::StringLiteral words[] = {
      // The C library, CUDA.
      "main std signbit y0 y1 yn j0 j1 jn gamma index rindex int8_t int16_t "
      "int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t memcpy memset "
      "threadIdx blockIdx blockDim gridDim warpSize dim3",
      // The vocabulary: runtime/include/fusec/kernel/README.md.
      "fusec detail baseline avx2 avx512 avx512vnni avx512bf16 amx portable "
      "f32x16 f64x16 i32x16 i64x16 "
      "mask16 f16 bf16 load load_strided gather store store_strided scatter "
      "store_transposed store_streamed finish_streams prefetch prefetch_write "
      "broadcast zero iota "
      "mask_lt mask_ge mask_range get reduce_add reduce_mul reduce_max "
      "reduce_min reduce_and reduce_or count first fma pairs quads "
      "bf16_pairs dot_pairs dot_quads dot_bf16 add_quad_tiles add_bf16_tiles "
      "TileRegisters tile_registers "
      "mul_rounded near_quotient "
      "to_nearest look_up "
      "add sub mul div neg max min maxnum minnum clamp abs sign copysign "
      "floor ceil trunc round_even round_away fmod fmod_unsigned "
      "mod mod_body div_floor div_unsigned sqrt rsqrt rcp shl shr_arith "
      "shr_logic eq ne lt le gt ge logical_and logical_or logical_xor "
      "logical_not select isnan isinf isfinite to to_i8 to_u8 sat_i8 sat_u8 "
      "to_f16 to_bf16 bits_of f32_from_bits f64_from_bits exp exp2 expm1 log "
      "log2 log10 "
      "log1p pow tanh sigmoid erf erfc sin cos tan asin acos atan atan2 sinh "
      "cosh asinh acosh atanh cbrt gelu gelu_tanh workspace parallel_for "
      "bit_and bit_or bit_xor bit_not nibble half_byte View Unrolled "
      "each_lane scalars"
      // Of it on a device: runtime/include/fusec/cuda/README.md.
      " cuda View32 Unrolled32 block thread warp lane sync_block sync_warp "
      "is_last_block load_row store_row copy_async commit_copies wait_copies "
      "shared_memory Shared reduce_of_block BlockReduction reduce_of_column "
      "ColumnReduction get_parts warp_size atomic_add add_matrices",
      // The host interface, and what the emitter declares itself.
      "ctx begin end iteration run plan input output weight arena packed "
      "launch call inputs outputs groups launches descriptor others "
      "num_launches "
      "launch_index call_index Inputs Outputs session in out",
      // That of programs for a device.
      "copy_on_device copy_to_device copy_to_host fill_device host_arena "
      "host_weight finish_run device_variants device_kernels device_operands "
      "device_descriptor",
  };
  static const llvm::StringSet<> reserved = split(words);
  return isKeyword(name) || reserved.contains(name);
}

bool isLibraryFunction(llvm::StringRef name) {
  static constexpr llvm::StringLiteral words[] = {
      "abort access acct alarm alloca atexit atof atoi atol bcmp bcopy brk bsearch "
      "bzero calloc chdir chown chroot clearenv clearerr clock close confstr crypt "
      "ctermid ctime daemon difftime div dprintf drem dup ecvt environ erand48 execl "
      "execv exit fchdir fchown fclose fcvt fdatasync fdim fdopen feof ferror fexecve "
      "fflush ffs fgetc fgets fileno fopen fork fprintf fputc fputs fread free freopen "
      "frexp fscanf fseek fsync ftell ftruncate fwrite gcvt getc getchar getcwd getenv "
      "getline getlogin getopt getpid getppid gets getuid getw gmtime hypot ilogb "
      "initstate ioctl isalnum isalpha isascii isatty isblank iscntrl isdigit isgraph "
      "islower isprint ispunct isspace isupper isxdigit kill killpg l64a labs ldexp "
      "ldiv lgamma link llabs localeconv localtime lockf logb longjmp lrint lround "
      "lseek malloc mblen memccpy memchr memcmp memmem memmove mkdir mkstemp mktemp "
      "mktime modf nan nanosleep nearbyint nextafter nice open pause pclose perror "
      "pipe popen pread printf profil psignal putc putchar putenv puts putw pwrite "
      "qsort raise rand random read readlink realloc realpath remainder remove remquo "
      "rename rewind rint rmdir rpmatch sbrk scalb scalbn scanf select setbuf setenv "
      "setjmp setlocale setpgid setsid setstate setuid setvbuf sigaction sigaltstack "
      "sigemptyset signal significand sigpause sigstack sigwait sleep snprintf sprintf "
      "srand srandom sscanf strcat strchr strcmp strcoll strcpy strcspn strdup "
      "strerror strfry strftime strlen strncat strncmp strncpy strndup strpbrk strrchr "
      "strsep strsignal strspn strstr strtod strtof strtok strtol strtoul strverscmp "
      "strxfrm swab symlink sync syscall sysconf system tempnam tgamma time timer "
      "tmpfile tmpnam toascii tolower toupper truncate ttyname ualarm umask ungetc "
      "unlink unsetenv usleep valloc vdprintf vfork vfprintf vfscanf vhangup vprintf "
      "vscanf vsnprintf vsprintf vsscanf wait waitid waitpid write",
  };
  static const llvm::StringSet<> functions = split(words);
  return functions.contains(name);
}

static void collect(Location location,
                    llvm::SetVector<llvm::StringRef> &names) {
  if (auto named = dyn_cast<NameLoc>(location)) {
    names.insert(named.getName().getValue());
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      collect(part, names);
  } else if (auto site = dyn_cast<CallSiteLoc>(location)) {
    collect(site.getCallee(), names);
  }
}

llvm::SmallVector<llvm::StringRef> collectNames(Location location) {
  llvm::SetVector<llvm::StringRef> names;
  collect(location, names);
  return llvm::SmallVector<llvm::StringRef>(names.getArrayRef());
}

llvm::StringRef firstName(Location location) {
  if (auto named = dyn_cast<NameLoc>(location))
    return named.getName().getValue();
  if (auto site = dyn_cast<CallSiteLoc>(location))
    return firstName(site.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (llvm::StringRef name = firstName(part); !name.empty())
        return name;
  return {};
}

llvm::StringRef arrayName(Location location) {
  constexpr size_t kLong = 24;
  llvm::StringRef name = firstName(location);
  while (name.size() > kLong) {
    size_t cut = name.find_first_of("/.:_", 1);
    if (cut == llvm::StringRef::npos || cut + 1 >= name.size())
      break;
    name = name.drop_front(cut + 1);
  }
  return name;
}

bool Names::isTaken(llvm::StringRef name) const {
  return llvm::any_of(
      scopes, [&](const Scope &scope) { return scope.taken.contains(name); });
}

std::string Names::declare(llvm::StringRef wish, llvm::StringRef fallback,
                           const llvm::Twine &suffix) {
  std::string base = toIdentifier(wish);
  if (base.empty())
    base = fallback.str();
  for (char c : suffix.str())
    base += llvm::isAlnum(c) ? c : '_';
  if (reserved == Reserved::All ? isReservedName(base) : isKeyword(base))
    base += "_0";
  std::string name = base;
  if (isTaken(name)) {
    unsigned number = 1;
    for (const Scope &scope : scopes)
      number = std::max(number, scope.last.lookup(base));
    do
      name = base + "_" + std::to_string(++number);
    while (isTaken(name));
    scopes.back().last[base] = number;
  }
  scopes.back().taken.insert(name);
  return name;
}

NameCounts::NameCounts(Region &region) {
  region.walk([&](Operation *op) {
    if (op->getNumResults() != 0)
      ++counts[firstName(op->getLoc())];
  });
}

llvm::StringRef NameCounts::ownName(Value value) const {
  static constexpr size_t kShort = 16;
  llvm::StringRef name = firstName(value.getLoc());
  auto found = counts.find(name);
  bool own = isa<BlockArgument>(value) ||
             (found != counts.end() && found->second == 1);
  return own && name.size() <= kShort ? name : llvm::StringRef();
}

} // namespace fusec::codegen
