import { attacksOf } from './attack.ts'
import type { Attack } from './attack.ts'

const node = process.execPath

const files = attacksOf('files outside', {
  'a file outside': 'echo x >$OUT/planted',
  'through a link': 'ln -s $OUT link && echo x >link/planted',
  'through a link that takes the place of a folder': 'rm -rf docs && ln -s $OUT docs && echo x >docs/planted',
  'through a hard link': 'ln $OUT/file linked && echo x >>linked',
  'through /proc/self/root': 'echo x >/proc/self/root/$OUT/planted',
  'through the decoy root': 'echo x >/proc/$DECOY/root/$OUT/planted',
  'through the decoy folder': 'echo x >/proc/$DECOY/cwd/planted',
  'mode of a file outside': 'chmod 777 $OUT/file',
  'times of a file outside': 'touch -d 2001-01-01 $OUT/file',
  'a shell start file': 'echo evil >>$PERSON/.bashrc',
  'a key of the person': 'echo evil >>$PERSON/.ssh/authorized_keys',
  'a program in the home': 'mkdir -p $PERSON/bin && cp evil.sh $PERSON/bin/git',
  'npm configuration': 'echo script-shell=$WT/evil.sh >>$PERSON/.npmrc',
  'the journal of the run': 'echo "{}" >>$MAIN/.baton/runs/1.log.jsonl',
  'the frozen workflow': 'echo evil >$MAIN/.baton/runs/1/frozen.txt',
  'the settings of the project': 'echo "sandbox: off" >>$MAIN/.baton/config.yaml',
  'a rename out of the worktree': 'mv README.md $OUT/planted',
  'a device': 'mknod $OUT/planted p',
  'sockets of others': `${node} -e "require('net').connect('$SOCK').on('error',()=>0).pipe(process.stdout)"`,
})

/** Only an agent's home has one. */
const asked = 'cd $HOME && test -e hook-ask.sh &&'

const hooks = attacksOf('the hook', {
  'says something else': `${asked} echo 'exit 0' >hook-ask.sh && echo SECRET-hook`,
  'is another file': `${asked} echo 'exit 0' >new && mv -f new hook-ask.sh && echo SECRET-hook`,
  'is a link': `${asked} ln -sf $WT/evil.sh hook-ask.sh && echo SECRET-hook`,
  'is gone': `${asked} rm -f hook-ask.sh && echo SECRET-hook`,
  'cannot be run': `${asked} chmod a-x hook-ask.sh && echo SECRET-hook`,
  'is gone with its folder': `${asked} cd .. && mv $HOME $HOME.away && mv $HOME.away $HOME && echo SECRET-hook`,
})

const system = attacksOf(
  'system',
  {
    'a program of the system':
      ': >/usr/local/bin/baton-attack-$$ && rm /usr/local/bin/baton-attack-$$ && echo SECRET-usr',
    'password hashes': 'cat /etc/shadow >/dev/null && echo SECRET-shadow',
    'settings of the kernel':
      'v=$(cat /proc/sys/kernel/core_pattern) && printf %s "$v" >/proc/sys/kernel/core_pattern && echo SECRET-core',
    'another setting of the kernel':
      'v=$(cat /proc/sys/vm/swappiness) && echo "$v" >/proc/sys/vm/swappiness && echo SECRET-vm',
    'the name of the machine':
      'n=$(cat /proc/sys/kernel/hostname) && printf %s "$n" >/proc/sys/kernel/hostname && test "$n" != baton && echo SECRET-name',
    'a mount': 'mkdir -p m && mount -t tmpfs none m && umount m && echo SECRET-mount',
    'a new root': 'mkdir -p r && chroot / /bin/true && echo SECRET-chroot',
    'a device node': 'mknod d c 1 3 && rm d && echo SECRET-device',
    'another user': 'chown 12345 README.md && chown 0 README.md && echo SECRET-chown',
    priority: 'nice -n -5 true 2>&1 | grep -q . || echo SECRET-nice',
    'namespaces of the machine': 'nsenter -t $DECOY -m -p true && echo SECRET-ns',
    'a raw socket': `${node} -e "" && python3 -c "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)" 2>/dev/null && echo SECRET-raw`,
  },
  { rootOnly: true },
)

const secrets = attacksOf('secrets', {
  'a private key': 'cat $PERSON/.ssh/id',
  'a token for packages': 'cat $PERSON/.npmrc',
  'the whole home': 'cat $PERSON/.netrc $PERSON/.config/tool/auth.json',
  'the address of a remote': 'git config --get remote.origin.url || cat $MAIN/.git/config',
  "the address of a submodule's remote": 'cat $MAIN/.git/modules/libs/sub/config',
  'the environment of the engine': 'env',
  'the environment of the first process': "tr '\\0' '\\n' </proc/1/environ; tr '\\0' '\\n' </proc/$$/environ",
  'the environment of another process': "tr '\\0' '\\n' </proc/$DECOY/environ",
  'the command line of another process': "tr '\\0' ' ' </proc/$DECOY/cmdline",
  'all command lines': 'cat /proc/[0-9]*/cmdline',
  'all environments': 'cat /proc/[0-9]*/environ',
  'open files of another process': 'cat /proc/$DECOY/fd/0',
  'files of another task': 'cat $OTHER/uncommitted',
  'the journal': 'cat $MAIN/.baton/runs/1.log.jsonl',
  'temporary files of others': 'cat $(dirname $OUT)/secret.txt /tmp/baton-attack-*/secret.txt',
  'uncommitted files of the main checkout': 'cat $MAIN/.env',
})

const network = attacksOf('network', {
  'a service of this machine': `${node} -e "require('http').get('http://127.0.0.1:'+process.env.PORT,(r)=>r.pipe(process.stdout)).on('error',()=>0)"`,
  'the same by name': `${node} -e "require('http').get('http://localhost:'+process.env.PORT,(r)=>r.pipe(process.stdout)).on('error',()=>0)"`,
  'the same by shell':
    'bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT; printf \'GET / HTTP/1.0\\r\\n\\r\\n\' >&3; cat <&3"',
  'the same over a mapped address': `${node} -e "require('http').get('http://[::ffff:127.0.0.1]:'+process.env.PORT,(r)=>r.pipe(process.stdout)).on('error',()=>0)"`,
  'an abstract socket': `python3 -c "import os,socket; s=socket.socket(socket.AF_UNIX); s.connect(chr(0)+os.environ['SOCK']); print(s.recv(99).decode())"`,
  'the table of connections':
    'grep -i "$(printf :%04X $PORT)" /proc/net/tcp /proc/net/tcp6 && echo SECRET-table',
  'interfaces of the machine': 'test $(ls /proc/sys/net/ipv4/conf | wc -l) -gt 3 && echo SECRET-interfaces',
})

const processes = [
  ...attacksOf('processes', {
    'a signal to another process': 'kill -STOP $DECOY && kill -CONT $DECOY && echo SECRET-signal',
    'a signal to all': 'kill -0 $DECOY && echo SECRET-seen',
    'a look at the process table':
      'test -d /proc/$DECOY/task && grep -q decoy /proc/$DECOY/cmdline && echo SECRET-seen',
    'the priority of another': 'renice -n 1 -p $DECOY >/dev/null && echo SECRET-renice',
    'the limits of another': 'prlimit --pid $DECOY --core=0:0 && echo SECRET-limits',
    'shared memory': 'ls /dev/shm/baton-attack-* && echo SECRET-shm',
  }),
  ...attacksOf('daemons', { 'in the background': '(sleep 98761 >/dev/null 2>&1 &)' }, { daemon: '98761' }),
  ...attacksOf(
    'daemons',
    { 'in a session of its own': 'setsid -f sleep 98762 >/dev/null 2>&1' },
    { daemon: '98762' },
  ),
  ...attacksOf(
    'daemons',
    { 'without an environment': 'env -i setsid -f sleep 98763 >/dev/null 2>&1' },
    { daemon: '98763' },
  ),
  ...attacksOf(
    'daemons',
    {
      // The attack is over when its daemon stands, not before: else a slow machine would look safe.
      'that is deaf to hang-ups':
        'nohup sh -c "trap \'\' HUP TERM INT; sleep 98764; true" >/dev/null 2>&1 & n=0; until pgrep -fx "sleep 98764" >/dev/null || [ $n = 100 ]; do n=$((n + 1)); sleep 0.05; done',
    },
    { daemon: '98764' },
  ),
  ...attacksOf(
    'daemons',
    {
      'with limits of its own':
        'env -i sh -c "ulimit -x 1000 2>/dev/null; ulimit -w 1000 2>/dev/null; exec setsid -f sleep 98765" >/dev/null 2>&1',
    },
    { daemon: '98765' },
  ),
  ...attacksOf(
    'keystrokes',
    {
      'onto the terminal': 'sh -c ": >/dev/tty" && echo SECRET-shown',
      'typed into the terminal': `python3 -c "import os; os.open('/dev/tty', os.O_RDWR)" && echo SECRET-typed`,
    },
    { terminal: true },
  ),
]

/** Bounded: what goes off is 60 processes, 400 MB, 40 MB of file, each for a moment. */
const bombs = [
  ...attacksOf(
    'bombs',
    {
      processes: 'for i in $(seq 60); do sleep 4 & done && sleep 2 && echo BOOM',
    },
    { bomb: 'BOOM' },
  ),
  ...attacksOf(
    'bombs',
    {
      memory: `${node} -e "const b = Buffer.alloc(4e8, 1); setTimeout(() => console.log(b.length > 1 ? 'BOOM' : ''), 2000)"`,
    },
    { bomb: 'BOOM' },
  ),
  ...attacksOf(
    'bombs',
    {
      'memory of many': `for i in 1 2 3 4; do ${node} -e "const b = Buffer.alloc(1e8, 1); require('fs').writeFileSync('ate-$i', ''); setTimeout(() => b, 60000)" & all="$all $!"; done; until test -e ate-1 -a -e ate-2 -a -e ate-3 -a -e ate-4; do sleep 0.1; done; sleep 2; echo BOOM; rm -f ate-?; kill $all`,
    },
    { bomb: 'BOOM' },
  ),
  ...attacksOf(
    'bombs',
    {
      'a file':
        'head -c 40000000 /dev/zero >big; test $(stat -c %s big) -eq 40000000 && echo BOOM; rm -f big',
    },
    { bomb: 'BOOM' },
  ),
]

export const machineAttacks: readonly Attack[] = [
  ...files,
  ...hooks,
  ...system,
  ...secrets,
  ...network,
  ...processes,
  ...bombs,
]
