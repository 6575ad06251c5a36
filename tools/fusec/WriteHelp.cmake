# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes into FOLDER what FUSEC says of its command line, as it is installed.
function(write file)
  execute_process(COMMAND ${FUSEC} ${ARGN} OUTPUT_VARIABLE text RESULT_VARIABLE code)
  if(code)
    message(FATAL_ERROR "fusec ${ARGN}: ${code}")
  endif()
  file(WRITE ${FOLDER}/${file}.tmp "${text}")
  file(RENAME ${FOLDER}/${file}.tmp ${FOLDER}/${file})
endfunction()

write(man1/fusec.1 manual)
write(bash-completion/completions/fusec completion bash)
write(zsh/site-functions/_fusec completion zsh)
write(fish/vendor_completions.d/fusec.fish completion fish)
