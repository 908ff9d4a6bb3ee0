/** What is known of programs: which only look, which write, which are never run. */

/** Programs that look and do nothing else, and the options with which they would do more. */
export const lookers: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    (
      '[ : basename break cal cat cd cksum cmp col column comm continue cut date df diff dirname du echo egrep exit expand expr ' +
      'false fgrep file fmt fold grep groups head hexdump hostname id jq join less ls lsof md5sum more nl nproc numfmt od ' +
      'paste pathchk popd pr printenv printf ps pushd pwd read readlink realpath return rev seq set sha1sum sha256sum shift ' +
      'sleep stat strings sum tac tail test tput tr true tsort tty type umask uname uniq unexpand unset uptime wait wc ' +
      'which whoami xxd yes export declare typeset local readonly getopts times ulimit env command zcat zgrep tree'
    )
      .split(' ')
      .map((name) => [name, []]),
  ),
  sort: ['-o', '--output', '--compress-program'],
  rg: ['--pre', '--hostname-bin', '--search-zip'],
  fd: ['-x', '-X', '--exec', '--exec-batch'],
  find: [],
  sed: [],
  awk: [],
  gawk: [],
  mawk: [],
  nawk: [],
}

/** Never: the reason is for the model. */
export const refused: Readonly<Record<string, string>> = {
  ...group('sudo su doas pkexec runuser', 'an agent has no other rights than its own'),
  ...group('ssh scp sftp telnet nc ncat socat ftp', 'an agent has no connections to other machines'),
  ...group(
    'docker podman nerdctl kubectl nsenter unshare chroot bwrap firejail systemd-run systemctl service machinectl',
    'an agent works inside its own walls only',
  ),
  ...group(
    'crontab at batch screen tmux script expect watch parallel entr flock strace ltrace gdb lldb perf taskset chrt setpriv ' +
      'setarch linux32 linux64 eatmydata fakeroot proot valgrind unbuffer rlwrap prlimit numactl xvfb-run dbus-run-session ' +
      'dbus-launch faketime toybox run-parts start-stop-daemon choom uclampset pidns',
    'it runs other commands that cannot be checked; run the command itself',
  ),
  ...group('zsh fish ksh mksh csh tcsh pwsh elvish nu xonsh rbash', 'only bash and sh can be checked'),
  ...group(
    'gh glab hub tig lazygit gitk gitui jj sl scalar',
    'they do with the repository what git would be refused',
  ),
  ...group(
    'alias unalias let enable hash bind complete compgen compopt fc history shopt coproc noglob nocorrect zmodload autoload ' +
      'suspend logout caller callable',
    'it changes what the shell does with the commands that follow',
  ),
  ...group(
    'mount umount mkfs shutdown reboot halt poweroff insmod modprobe sysctl iptables',
    'it belongs to the machine',
  ),
}

function group(names: string, why: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, why]))
}

/** Subcommands with which a tool runs a command that stands in its words. */
export const runners: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  uvx: [],
  pipx: [],
  npm: ['exec', 'x'],
  pnpm: ['exec', 'dlx'],
  yarn: ['exec', 'dlx'],
  bun: ['x'],
  poetry: ['run'],
  uv: ['run', 'tool'],
  pipenv: ['run'],
  pdm: ['run'],
  hatch: ['run'],
  bundle: ['exec'],
  mise: ['exec', 'x'],
  direnv: ['exec'],
  nix: ['run', 'develop', 'shell'],
}

/** Programs that are handed code, and the options that hand it to them. */
export const interpreters: readonly {
  readonly name: RegExp
  readonly inline: readonly string[]
}[] = [
  { name: /^(python|pypy)[\d.]*$/, inline: ['-c'] },
  { name: /^(node|nodejs|bun|deno)$/, inline: ['-e', '-p', '-pe', '--eval', '--print', 'eval'] },
  {
    name: /^(perl[\d.]*|ruby[\d.]*)$/,
    inline: ['-e', '-E', '-ne', '-pe', '-lne', '-lpe', '-nle', '-ple', '-lane', '-ane'],
  },
  { name: /^php[\d.]*$/, inline: ['-r', '-B', '-R', '-E'] },
  { name: /^(lua[\d.]*|luajit|Rscript|osascript|tclsh|guile)$/, inline: ['-e'] },
]

/** Which words of a program are files that it changes. */
export const writers: Readonly<Record<string, 'all' | 'last' | 'but-first' | 'of'>> = {
  rm: 'all',
  rmdir: 'all',
  unlink: 'all',
  shred: 'all',
  touch: 'all',
  mkdir: 'all',
  mkfifo: 'all',
  tee: 'all',
  truncate: 'all',
  mv: 'all',
  cp: 'last',
  ln: 'last',
  install: 'last',
  rsync: 'last',
  chmod: 'but-first',
  chown: 'but-first',
  chgrp: 'but-first',
  dd: 'of',
}
