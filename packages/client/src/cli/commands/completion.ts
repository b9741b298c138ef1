import { command } from '../command.ts';
import { COMPLETE } from '../complete.ts';

/** They ask `pts` itself, so they never disagree with the version that is installed. Files are completed where it knows nothing. */
const SCRIPTS = {
  bash: `_pts() {
  local IFS=$'\\n'
  COMPREPLY=($(pts ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _pts pts
`,
  zsh: `#compdef pts
_pts() {
  local -a found
  found=("\${(@f)$(pts ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -- $found; else _files; fi
}
if [[ "$funcstack[1]" = _pts ]]; then _pts; else compdef _pts pts; fi
`,
} as const;

export const completion = command({
  name: 'completion',
  about: 'Prints the completion for a shell.',
  takes: ['SHELL'],
  choices: Object.keys(SCRIPTS),
  options: {},
  details: [
    'bash: add `eval "$(pts completion bash)"` to ~/.bashrc',
    'zsh: add `source <(pts completion zsh)` to ~/.zshrc, after compinit',
  ],
  run: async ({ raw }, { SHELL }) => raw(SCRIPTS[SHELL as keyof typeof SCRIPTS]),
});
