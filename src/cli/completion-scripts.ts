/**
 * What a shell evaluates to complete `baton <Tab>`. Each asks the program itself, so that run numbers, workflows
 * and new commands are there without a new script. `:files` in the answer means: names of files.
 */
export const completionScripts: Readonly<Record<string, string>> = {
  bash: `_baton() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then compopt -o default 2>/dev/null; return; fi
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(baton complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _baton baton
`,
  zsh: `#compdef baton
_baton() {
  local line
  local -a described
  for line in "\${(@f)$(baton complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then _files; return; fi
    [[ -n $line ]] && described+=("\${line/$'\\t'/:}")
  done
  _describe baton described
}
compdef _baton baton
`,
  fish: `function __baton_words
    set -l words (commandline -opc)[2..] (commandline -ct)
    for line in (baton complete -- $words 2>/dev/null)
        if test "$line" = ':files'
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c baton -f -a '(__baton_words)'
`,
}
