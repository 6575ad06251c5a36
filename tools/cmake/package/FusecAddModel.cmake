# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fusec_add_model(NAME MODEL file
#                 [TARGET cpu ...]              what to compile for: cpu, and GPUs of an
#                                               architecture and later ones (cuda-sm80);
#                                               of several a session takes what fits
#                 [CPU processor]               whose numbers decide, as --cpu: generic (the
#                                               default), native, ...; kernels run on all
#                 [LEVEL n]                     how much the graph is optimised, as -O: 0 to 3
#                 [DISABLE_RULE rule ...]       rules of that which are not applied
#                 [RULES target-or-file ...]    rules of your own: libraries that the
#                                               project builds, as add_library(... MODULE)
#                                               with fusec_abi, or files
#                 [DIM name=N ...]              binds symbolic dimensions; with several
#                                               extents, as in batch=1,4,16, the library
#                                               has an entry for each combination
#                 [SHAPE input=1x3x224 ...]     sets the shapes of inputs
#                 [BIND input=file ...]         makes inputs constants
#                 [VENDOR name ...]             offers products of matrices by openblas or
#                                               onednn, and links these
#                 [ALLOW name ...]              offers products of lower precision: bf16,
#                                               bf16-activations, int8-activations
#                 [OPS name ...]                operators of your own, which are compiled
#                                               into the model: of fusec_add_op, or
#                                               files: text (.fop), functions (.onnx)
#                 [CHOICES name=algorithm ...]  takes other algorithms
#                 [LOCK file]                   takes the decisions of a fusec.lock;
#                                               OPTIONS --frozen: and no others
#                 [CACHE path]                  where that says nothing, takes what
#                                               fusec tune found to be fastest
#                 [VARIANTS n]                  how many variants of a kernel there are
#                 [TUNING_RANGE begin:end]      runs that try them, ...
#                 [TUNING_CACHE path]           ... and where what they find is kept
#                 [KERNEL_FILES n]              how many files the kernels are spread over
#                                               (default: 1), which compile side by side
#                 [EMBED_WEIGHTS]               the program holds the weights, and maps no file
#                 [OPTIONS option ...]          more options of `fusec compile`, as
#                                               --max-trips=100, --count=boxes or
#                                               --state=h0=hn
#                 [DEPENDS target-or-file ...]) what must be there before MODEL is read
#
#   A static library NAME with the model: link it, include "NAME.h". NAME is a C
#   identifier and no keyword of C++, for it names the target, the header, the namespace
#   and, in fusec_NAME_query, the function that the program hands to the runtime.
#   NAME_shared is a shared library with model and runtime, built when asked for.
#
#   MODEL is an .onnx or .mlir file. Like a source file it is looked for in the
#   source folder, then in the build folder, where another build step may write it: one
#   that has it as OUTPUT, or one that DEPENDS names.
#   Tensors that it keeps in other files are followed. The files of BIND, LOCK and CACHE
#   are looked for like MODEL, and the model is compiled again when they change. LOCK and
#   CACHE must be there when CMake runs, unless a build step of the same folder writes
#   them.
#
#   With TUNING_RANGE or TUNING_CACHE a program finds out while it runs which variants
#   are fastest. "NAME_tuning.h" has NAME_tuning_options(), for fusec_tuner_create (C) or
#   fusec::Tuner (C++); the path is one of the machine that runs.
#
#   The compiler is bin/fusec of the tree that holds this file, unless the project or
#   -DFUSEC_EXECUTABLE names another. It runs on the machine that builds, whatever the
#   target is.
#
#   Properties of the target NAME:
#     FUSEC_FOLDER   the emitted sources
#     FUSEC_WEIGHTS  the weights file, which the program maps when it runs; a model
#                    without weights has none, and with EMBED_WEIGHTS none is needed

# As of this version, whatever the project asks for.
cmake_policy(PUSH)
cmake_policy(VERSION 3.20)

# Not a variable of the package: whoever calls fusec_add_model need not be in the
# folder that found the package.
function(_fusec_find_program result)
  if(FUSEC_EXECUTABLE)
    set(${result} "${FUSEC_EXECUTABLE}" PARENT_SCOPE)
    return()
  endif()
  get_filename_component(program
    "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../bin/fusec" ABSOLUTE)
  set(${result} "${program}" PARENT_SCOPE)
endfunction()

# Where `file` lies: in the source folder, or else (as yet to be made) in the build
# folder.
function(_fusec_find_file result file)
  get_filename_component(path "${file}" ABSOLUTE)
  if(NOT EXISTS "${path}")
    get_filename_component(path "${file}" ABSOLUTE
      BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  set(${result} "${path}" PARENT_SCOPE)
endfunction()

# Refuses `word`, which stands where none such may.
function(_fusec_refuse_word name word reason)
  set(keywords MODEL TARGET CPU LEVEL DIM DISABLE_RULE RULES SHAPE BIND VENDOR ALLOW OPS CHOICES
    LOCK CACHE VARIANTS TUNING_RANGE TUNING_CACHE KERNEL_FILES EMBED_WEIGHTS OPTIONS DEPENDS)
  string(JOIN ", " all ${keywords})
  # What begins alike was perhaps meant.
  string(SUBSTRING "${word}" 0 2 start)
  if(start MATCHES "^[A-Z]+$")
    list(FILTER keywords INCLUDE REGEX "^${start}")
    if(keywords)
      string(JOIN " or " nearest ${keywords})
      set(meant "did you mean ${nearest}? ")
    endif()
  endif()
  message(FATAL_ERROR "fusec_add_model(${name}): '${word}' ${reason}; ${meant}The "
    "keywords are ${all}, each but EMBED_WEIGHTS with a value")
endfunction()

# A keyword that is misspelt is to CMake a value of the keyword before it, so each must
# look as its keyword's values do.
function(_fusec_check_values name keyword form expected)
  foreach(value IN LISTS arg_${keyword})
    if(NOT value MATCHES "${form}")
      _fusec_refuse_word(${name} "${value}"
        "is no value of ${keyword}: expected ${expected}")
    endif()
  endforeach()
endfunction()

# Options, targets and files may be called anything; but words in capitals are most
# likely keywords.
function(_fusec_check_capitals name)
  foreach(value IN LISTS arg_OPTIONS)
    if(value MATCHES "^--vendor(=(.*))?$")
      message(FATAL_ERROR "fusec_add_model(${name}): what --vendor names has to be linked: "
        "write VENDOR ${CMAKE_MATCH_2} in place of it")
    endif()
    if(value MATCHES "^[A-Z]+$")
      _fusec_refuse_word(${name} "${value}"
        "is no option; as the value of one write --option=${value}")
    endif()
  endforeach()
  foreach(value IN LISTS arg_DEPENDS)
    _fusec_find_file(file "${value}")
    if(value MATCHES "^[A-Z]+$" AND NOT TARGET ${value} AND NOT EXISTS "${file}")
      _fusec_refuse_word(${name} "${value}" "in DEPENDS is neither a target nor a file")
    endif()
  endforeach()
endfunction()

# A namespace of C++ is called as the model is.
function(_fusec_check_name name)
  set(where "fusec_add_model(${name})")
  if(NOT name MATCHES "^[A-Za-z][A-Za-z0-9_]*$")
    message(FATAL_ERROR "${where}: the name is also that of a header, a namespace and "
      "a function; use a C identifier")
  endif()
  set(keywords alignas alignof and and_eq asm auto bitand bitor bool break case catch char
    char8_t char16_t char32_t class compl concept const consteval constexpr constinit
    const_cast continue co_await co_return co_yield decltype default delete do double
    dynamic_cast else enum explicit export extern false float for friend goto if inline
    int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private
    protected public register reinterpret_cast requires restrict return short signed
    sizeof static static_assert static_cast struct switch template this thread_local
    throw true try typedef typeid typename union unsigned using virtual void volatile
    wchar_t while xor xor_eq)
  if(name IN_LIST keywords)
    message(FATAL_ERROR "${where}: the name is also that of a namespace, and '${name}' is "
      "a keyword of C or C++; take another, such as ${name}_model")
  endif()
endfunction()

# Whether a build step of the source folder, or of one below, writes the file `path`.
function(_fusec_is_made result path folder)
  get_source_file_property(made "${path}" DIRECTORY "${folder}" GENERATED)
  get_property(below DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(next IN LISTS below)
    if(NOT made)
      _fusec_is_made(made "${path}" "${next}")
    endif()
  endforeach()
  set(${result} "${made}" PARENT_SCOPE)
endfunction()

# Said at the end of the project's CMakeLists.txt: what makes the model may stand behind
# fusec_add_model.
function(_fusec_check_model name file path)
  _fusec_is_made(made "${path}" "${CMAKE_SOURCE_DIR}")
  if(NOT EXISTS "${path}" AND NOT made)
    message(FATAL_ERROR "fusec_add_model(${name}): there is no MODEL ${file}, neither in "
      "the source folder nor in the build folder, and no build step has it as OUTPUT. If "
      "one writes it all the same, name its target with DEPENDS")
  endif()
endfunction()

# The targets for GPUs are fusec's own table; it is asked only where there are such.
function(_fusec_check_targets name fusec)
  if(arg_TARGET MATCHES "cuda")
    list(JOIN arg_TARGET "," targets)
    execute_process(COMMAND "${fusec}" compile --target=${targets} --list-stages
      RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE text)
    if(code EQUAL 64)
      string(REGEX REPLACE "^fusec: error: --target:? |\n.*" "" text "${text}")
      message(FATAL_ERROR "fusec_add_model(${name}): TARGET: ${text}")
    endif()
  endif()
endfunction()

function(_fusec_check_arguments name)
  set(where "fusec_add_model(${name})")
  _fusec_check_name(${name})
  if(arg_KEYWORDS_MISSING_VALUES)
    list(GET arg_KEYWORDS_MISSING_VALUES 0 word)
    message(FATAL_ERROR "${where}: ${word} has no value")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    list(GET arg_UNPARSED_ARGUMENTS 0 word)
    _fusec_refuse_word(${name} "${word}" "is no keyword, nor a value of one")
  endif()
  _fusec_check_values(${name} DIM "^.+=[0-9]+(,[0-9]+)*$" "NAME=N")
  _fusec_check_values(${name} SHAPE "^.+=[0-9]+(x[0-9]+)*$" "INPUT=1x3x224x224")
  _fusec_check_values(${name} BIND "^[^=]+=.+$" "INPUT=FILE")
  _fusec_check_values(${name} VENDOR "^(openblas|onednn)$" "openblas or onednn")
  _fusec_check_values(${name} ALLOW "^(bf16|bf16-activations|int8-activations)$"
    "bf16, bf16-activations or int8-activations")
  _fusec_check_values(${name} CHOICES "^.+=.+$" "NAME=ALGORITHM")
  _fusec_check_values(${name} LEVEL "^[0-3]$" "0, 1, 2 or 3")
  _fusec_check_values(${name} DISABLE_RULE "^[a-z0-9.-]+$"
    "a rule of `fusec compile --list-rules`, or a piece of several")
  _fusec_check_values(${name} VARIANTS "^[1-9][0-9]*$" "a number of 1 or more")
  _fusec_check_values(${name} KERNEL_FILES "^[1-9][0-9]*$" "a number of 1 or more")
  if(arg_CPU STREQUAL "native" AND CMAKE_CROSSCOMPILING)
    message(FATAL_ERROR "${where}: CPU native is the processor that compiles, and this is "
      "for another one: name a row of `fusec compile --help`, such as neon")
  endif()
  _fusec_check_values(${name} TUNING_RANGE "^[0-9]+:[0-9]+$" "BEGIN:END")
  if(arg_TUNING_RANGE)
    string(REGEX MATCH "^(.*):(.*)$" parts "${arg_TUNING_RANGE}")
    if(NOT CMAKE_MATCH_1 LESS CMAKE_MATCH_2)
      message(FATAL_ERROR "${where}: the TUNING_RANGE ${arg_TUNING_RANGE} has no run; its "
        "end must be greater than its begin")
    endif()
    if(NOT arg_VARIANTS GREATER 2)
      message(FATAL_ERROR "${where}: with TUNING_RANGE there must be variants to try: add "
        "VARIANTS 5, say (2 are the default and a naive one to compare with)")
    endif()
  endif()
  _fusec_check_capitals(${name})
  if(NOT arg_MODEL)
    message(FATAL_ERROR "${where}: name the model, as in MODEL ${name}.onnx")
  endif()
  _fusec_check_values(${name} TARGET "^(cpu|cuda-sm[0-9]+)$"
    "cpu, or for GPUs an architecture as cuda-sm80, several with spaces between them")
  if(arg_TARGET AND NOT "cpu" IN_LIST arg_TARGET AND
     (arg_KERNEL_FILES OR arg_TUNING_RANGE OR arg_TUNING_CACHE))
    message(FATAL_ERROR "${where}: KERNEL_FILES and tuning are for TARGET cpu")
  endif()
endfunction()

# The header with what the arguments say of tuning.
function(_fusec_write_tuning name folder)
  string(REPLACE ":" ";" range "${arg_TUNING_RANGE}")
  set(settings)
  if(range)
    list(GET range 0 begin)
    list(GET range 1 end)
    string(APPEND settings "  options.begin = ${begin};\n  options.end = ${end};\n")
  endif()
  if(arg_TUNING_CACHE)
    string(REGEX REPLACE "([\\\"])" "\\\\\\1" path "${arg_TUNING_CACHE}")
    string(APPEND settings "  options.cache = \"${path}\";\n")
  endif()
  string(TOUPPER "${name}_TUNING_H" guard)
  file(CONFIGURE OUTPUT "${folder}/${name}_tuning.h" @ONLY CONTENT
    "/* Written by fusec_add_model(@name@). */
#ifndef @guard@
#define @guard@

#include \"fusec/runtime.h\"

#include <string.h>

/* How @name@ is tuned while it runs. */
static inline fusec_tuner_options @name@_tuning_options(void) {
  fusec_tuner_options options;
  memset(&options, 0, sizeof(options));
@settings@  return options;
}

#endif
")
  target_include_directories(${name} PUBLIC "${folder}")
endfunction()

function(fusec_add_model name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EMBED_WEIGHTS"
    "MODEL;CPU;LEVEL;LOCK;CACHE;VARIANTS;TUNING_RANGE;TUNING_CACHE;KERNEL_FILES"
    "TARGET;DISABLE_RULE;RULES;DIM;SHAPE;BIND;VENDOR;ALLOW;OPS;CHOICES;OPTIONS;DEPENDS")
  _fusec_check_arguments(${name})
  _fusec_find_program(fusec)
  _fusec_check_targets(${name} "${fusec}")
  _fusec_find_file(model "${arg_MODEL}")
  # What is in DEPENDS may write it in ways that CMake does not see.
  if(NOT arg_DEPENDS)
    cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [==[${CMAKE_SOURCE_DIR}]==]
      CALL _fusec_check_model [==[${name}]==] [==[${arg_MODEL}]==] [==[${model}]==])")
  endif()
  if(NOT arg_TARGET)
    set(arg_TARGET cpu)
  endif()
  if(NOT arg_CPU)
    set(arg_CPU generic)
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/fusec/${name}")
  list(JOIN arg_TARGET "," targets)
  set(options --name ${name} --target ${targets} --runtime installed ${arg_OPTIONS})
  if(NOT arg_CPU STREQUAL "generic")
    list(APPEND options --cpu ${arg_CPU})
  endif()
  foreach(key LEVEL DISABLE_RULE DIM SHAPE VENDOR ALLOW CHOICES)
    string(TOLOWER --${key} option)
    string(REPLACE "_" "-" option ${option})
    foreach(value IN LISTS arg_${key})
      list(APPEND options ${option} ${value})
    endforeach()
  endforeach()
  foreach(bind IN LISTS arg_BIND)
    string(REGEX MATCH "^([^=]+)=(.+)$" parts "${bind}")
    set(input "${CMAKE_MATCH_1}")
    _fusec_find_file(file "${CMAKE_MATCH_2}")
    list(APPEND options --bind "${input}=${file}")
    list(APPEND arg_DEPENDS "${file}")
  endforeach()
  if(arg_LOCK)
    _fusec_find_file(file "${arg_LOCK}")
    get_source_file_property(made "${file}" GENERATED)
    if(NOT EXISTS "${file}" AND NOT made)
      get_filename_component(path "${arg_LOCK}" ABSOLUTE)
      list(REMOVE_ITEM options --frozen)
      string(JOIN " " words "${fusec}" compile "${model}" -o "${folder}" ${options}
        --write-lock "${path}")
      message(FATAL_ERROR "fusec_add_model(${name}): there is no LOCK ${arg_LOCK}, "
        "neither in the source folder nor in the build folder. This writes it:\n"
        "  ${words}")
    endif()
    list(APPEND options --lock "${file}")
    list(APPEND arg_DEPENDS "${file}")
  endif()
  if(arg_CACHE)
    _fusec_find_file(file "${arg_CACHE}")
    get_source_file_property(made "${file}" GENERATED)
    if(NOT EXISTS "${file}" AND NOT made)
      get_filename_component(path "${arg_CACHE}" ABSOLUTE)
      message(FATAL_ERROR "fusec_add_model(${name}): there is no CACHE ${arg_CACHE}, "
        "neither in the source folder nor in the build folder. This writes it:\n"
        "  ${fusec} tune \"${model}\" -o \"${path}\" --cpu ${arg_CPU}")
    endif()
    list(APPEND options --cache "${file}")
    list(APPEND arg_DEPENDS "${file}")
  endif()
  _fusec_read_rules(${name})
  list(APPEND options ${rule_options})
  list(APPEND arg_DEPENDS ${rule_depends})
  _fusec_read_ops(${name} "${folder}")
  list(APPEND options ${op_options})
  list(APPEND arg_DEPENDS ${op_depends})
  if(arg_EMBED_WEIGHTS)
    list(APPEND options --embed-weights)
  endif()
  if(arg_VARIANTS)
    list(APPEND options --variants ${arg_VARIANTS})
  endif()

  if(NOT arg_KERNEL_FILES)
    set(arg_KERNEL_FILES 1)
  endif()

  # So many files of kernels are there whatever the model is.
  set(sources)
  set(headers "${folder}/${name}.h")
  set(kernels)
  set(device_kernels)
  if("cpu" IN_LIST arg_TARGET)
    list(APPEND options --kernel-files ${arg_KERNEL_FILES})
    list(APPEND sources "${folder}/${name}.cpp")
    list(APPEND headers "${folder}/${name}_kernels.h")
    foreach(number RANGE 1 ${arg_KERNEL_FILES})
      set(suffix "_${number}")
      if(number EQUAL 1)
        set(suffix)
      endif()
      list(APPEND kernels "${folder}/${name}_kernels${suffix}.cpp")
      list(APPEND headers "${folder}/${name}_kernels_naive${suffix}.h")
    endforeach()
  endif()
  # The files for all targets but the first, which is the CPU where there is that, are
  # called after their targets.
  list(REMOVE_ITEM arg_TARGET cpu)
  foreach(target IN LISTS arg_TARGET)
    set(file "${folder}/${name}")
    if(sources)
      string(REPLACE "-" "_" suffix ${target})
      string(APPEND file "_${suffix}")
    endif()
    list(APPEND sources "${file}.cpp")
    list(APPEND device_kernels "${file}_kernels.cu")
    list(APPEND headers "${file}_kernels.h" "${file}_kernels.cuh"
      "${file}_kernels_naive.cuh")
  endforeach()
  # Only model.json is always written anew. What is made of the others is to be made again
  # where their texts have changed; as outputs, make would want them to be new, too.
  get_filename_component(title "${model}" NAME)
  add_custom_command(OUTPUT "${folder}/model.json"
    BYPRODUCTS ${sources} ${kernels} ${device_kernels} ${headers} ${op_sources}
    COMMAND "${fusec}" compile "${model}" -o "${folder}" ${options}
      --depfile "${folder}.d" --hints cmake
    COMMAND ${CMAKE_COMMAND} "-DFOLDER=${folder}" -DNAME=${name}
      "-DOPS=${op_sources}" -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/CheckEmitted.cmake"
    DEPENDS "${model}" "${fusec}" ${arg_DEPENDS}
    DEPFILE "${folder}.d"
    COMMENT "Compiling ${title} with fusec" VERBATIM)
  # One target runs it, so that no two of a parallel make do.
  add_custom_target(${name}_sources DEPENDS "${folder}/model.json")

  add_library(${name} STATIC ${sources})
  fusec_own_flags(${name})
  foreach(target file IN ZIP_LISTS arg_TARGET device_kernels)
    string(REGEX MATCH "[0-9]+$" architecture ${target})
    fusec_add_device_kernels(${name} "${file}" ARCHITECTURE ${architecture})
  endforeach()
  if(kernels)
    fusec_add_kernels(${name} ${kernels})
  endif()
  _fusec_add_ops(${name} "${folder}")
  target_include_directories(${name} PUBLIC "${folder}")
  target_link_libraries(${name} PUBLIC fusec_runtime)
  # The project's runtime may be an emitted folder's, without the library's routines.
  target_include_directories(${name} PRIVATE
    "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../fusec/runtime/include")
  target_compile_options(${name} PRIVATE $<$<CONFIG:>:-O2>)
  if(arg_TUNING_RANGE OR arg_TUNING_CACHE)
    _fusec_write_tuning(${name} "${folder}_tuning")
  endif()
  if(arg_EMBED_WEIGHTS)
    fusec_embed_weights(${name} "${folder}/weights.bin")
  endif()
  fusec_add_shared(${name})
  fusec_link_vendors(${name} ${arg_VENDOR})
  get_target_property(parts ${name} FUSEC_KERNEL_LIBRARIES)
  foreach(target ${name} ${parts})
    add_dependencies(${target} ${name}_sources)
  endforeach()
  set_target_properties(${name} PROPERTIES
    FUSEC_FOLDER "${folder}" FUSEC_WEIGHTS "${folder}/weights.bin")
endfunction()

cmake_policy(POP)
