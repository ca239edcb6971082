/** The tests that hold each door of the threat model of SECURITY.md, by what somebody cannot do: files, and titles in them. */
export const DOORS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'use the control interface: it demands a loopback `Host`, and its own `Origin` and `Sec-Fetch-Site`': {
    'emulator/control/guard.test.ts': ['refuses %s, though it has no Origin'],
    'emulator/serving/listen.protocol.socket.test.ts': ['a foreign one is 421, on every path'],
    'emulator/http/cors.socket.test.ts': ['the control interface stays closed to every other origin'],
    'emulator/console/guard.browser.test.ts': ['reach nothing of the control interface'],
  },
  'start a program: the console runs an adapter only with `--agents-may-run`': {
    'test/import-rules.test.ts': ['no call of an emulator starts a program'],
    'emulator/control/lab.socket.test.ts': [
      'SECURITY: no command is run without --agents-may-run, nor for another origin',
    ],
  },
  "use the agents' door, which has the same guard": {
    'emulator/agents/agents.test.ts': [
      'SECURITY: %s gets nowhere',
      'SECURITY: with a control token nothing is served without it, and the tools work with it',
    ],
  },
  'log somebody in, or read what the login answers, unless `--cors` admits it; other sites may send a browser there': {
    'emulator/oidc/login.socket.test.ts': ['the provider is guarded as the control interface is'],
    'emulator/http/cors.socket.test.ts': ['WEB-1: what a page fetches of the login'],
  },
  'keep the emulator busy with one long address': {
    'emulator/control/guard.test.ts': ['an unknown call of 8,000 characters is compared with no other'],
  },
  'use the recorder from another origin, or end it': {
    'emulator/recording/proxy.socket.test.ts': ['who is served'],
  },
  'use the control interface without its token, if it has one': {
    'emulator/control/control.test.ts': ['asks for its token where it has one'],
  },
  'read the keys of a store': {
    'emulator/emulator.store.test.ts': ['is in a file of its own that only its owner may read, and in nothing else'],
    'emulator/vault/sealed.test.ts': ['under a key of mode 600 made with the first secret'],
  },
  "send credentials of the process to an address of its choice; run a command without `--agents-may-run`; read a file beside the pages; see a created intern's key":
    {
      'emulator/agents/agents.test.ts': [
        'check_server of another address is refused over HTTP, whatever agents may run',
        'a mistake says what is wrong and what to do next',
        'every page, every requirement and the OpenAPI document are listed, and read',
        'an intern is made, talked to, asked, answered and deleted, and no born key is shown',
      ],
    },
  'leave a run going that it cancelled; delay others by many calls at once': {
    'emulator/agents/agents.socket.test.ts': [
      'a chat that is cancelled over HTTP %s ends its run',
      'each lets others in between',
    ],
  },
  "leave a program behind when its host ends; see a created intern's key": {
    'emulator/cli/mcp.socket.test.ts': [
      'where the host ends in the middle of check_client, the adapter ends too',
      'check_client that is cancelled before the adapter has said a word ends the adapter',
    ],
    'emulator/cli/mcp.live.test.ts': ['a line that does not end is refused in one line, and it ends'],
    'emulator/agents/agents.test.ts': [
      'an intern is made, talked to, asked, answered and deleted, and no born key is shown',
    ],
  },
  "fill the agent's memory by one answer; send the agent characters that a terminal acts on": {
    'emulator/agents/agents.test.ts': [
      'text is bounded, and says where the rest is',
      'text holds no character that a terminal acts on, whatever a client sent',
    ],
  },
  'use the control interface or the login without the token': {
    'emulator/emulator.socket.test.ts': ['does not open its control interface to the network without a token'],
  },
  'use the control interface from the same host without TLS; use the authority for another host; keep the emulator from closing by an unfinished handshake':
    {
      'emulator/serving/tls.socket.test.ts': [
        'a page of this origin may use the control interface, and the same host without TLS may not',
        'the certificate is for this machine and the hosts that are served, and the authority is of this start alone',
        'a client that connects and says nothing does not keep it from closing',
      ],
    },
  'see or change another space': {
    'emulator/spaces/spaces.property.test.ts': [
      'two spaces answer any interleaving of requests as two emulators would',
    ],
    'emulator/spaces/spaces.socket.test.ts': ['of one seed and another name has another key'],
  },
  "run anything in a browser at the emulator's origin": {
    'emulator/serving/inert.socket.test.ts': [
      'no answer of the interface, the control interface, a space or the daemons runs anything in a browser',
    ],
    'emulator/lab/lab.socket.test.ts': ['a browser shows no case as a page'],
  },
  'run anything by a text that a person pastes from the console, an explanation, a report or the kit': {
    'emulator/contract/pasted.socket.test.ts': [
      'no body runs anything',
      'no character that a terminal acts on stands in a command',
    ],
    'emulator/console/page.test.ts': ['what is copied holds what a client sent as text'],
  },
  'fill the memory by reading no events': {
    'emulator/control/events.lagging.test.ts': ['a hundred who come back and never read'],
  },
  'hide a request in another one': {
    'emulator/recording/proxy.socket.test.ts': ['brings no second one with it by `Connection: %s`'],
  },
  'make the emulator show the value of a secret, or keep it in clear': {
    'emulator/vault/nowhere.test.ts': ['a value is in nothing that can be read'],
    'emulator/vault/sealed.test.ts': ['values are sealed in store, log and snapshots'],
    'emulator/console/vault.browser.test.ts': ['shown without its value'],
    'emulator/vault/remembered.test.ts': [
      'a value that was stored before a restart is not shown after it',
      'a value stays hidden however much is stored after it',
      'a value that is sent as a description or a session id is not shown',
    ],
  },
  'get a credential into the journal or a recording': {
    'emulator/http/journal.test.ts': [
      'AUTH-9: no credential gets into the journal, whatever part of a request it is sent in',
    ],
    'emulator/recording/planting.test.ts': [
      'no secret reaches the file',
      'a secret is hidden under every name, in every shape, on every side, in every coding',
    ],
  },
  'end the recorder, or another exchange; fill its memory': {
    'emulator/recording/proxy.socket.test.ts': [
      'what cannot be passed on is answered 502, recorded so, and ends nothing else',
      'of a stream without end the beginning is recorded',
    ],
  },
  'make the run change or delete interns that the run did not make': {
    'conformance/run/guard.test.ts': ['is a finding where that shows the intern of somebody else'],
    'conformance/model/ownership.test.ts': ['where a create answers it under the name that was asked for'],
    'conformance/drift/safety.test.ts': [
      'nothing is written to an intern that the run did not make',
      'a create that answers another’s record is a finding',
    ],
  },
  'lead credentials to another origin': {
    'conformance/cli/hostile.socket.test.ts': ['gets one verdict, and no credential leaves for another origin'],
  },
  'get credentials or markup into a report': {
    'conformance/drift/safety.test.ts': ['no credential is shown'],
    'conformance/probe/redact.test.ts': ['a secret is taken out in every usual spelling'],
    'conformance/report/reporters.test.ts': ['HTML holds no markup of the target'],
  },
  'run anything by a script of `--save`, or make it write to an intern that it has not made': {
    'conformance/cli/save.socket.test.ts': [
      'one file per finding, which hostile text cannot break',
      'a saved script for a deployment writes to an intern that a create answers',
    ],
  },
  'end the kit by what it answers': {
    'conformance/drift/judge.test.ts': ['an answer 20,000 levels deep is a finding'],
    'conformance/cli/hostile.socket.test.ts': ['a hostile target'],
    'conformance/drivers/network.socket.test.ts': ['an answer in more codings than are read is no answer'],
  },
  'keep the interns of a run, unless it refuses their deletion; the report then says so': {
    'conformance/drift/safety.test.ts': ['what a run makes is taken away'],
  },
  "run script in a browser; set other headers than the contract's": {
    'emulator/recording/replay/replay.test.ts': ['runs nothing in a browser'],
    'emulator/recording/read.test.ts': ['headers that no recorder keeps are left out, and named once'],
  },
  'make a request fail or hang': {
    'emulator/recording/replay/replay.test.ts': ['a recording from anybody'],
    'emulator/recording/template.test.ts': [
      'matching takes as long as the texts are',
      'a text of dollar signs is one piece',
    ],
  },
  'pass the check at the start with lines that cannot be replayed or sent': {
    'emulator/recording/read.test.ts': ['a recording that cannot be replayed or sent is refused, with its place'],
    'emulator/cli/cli.socket.test.ts': ['for a recording that cannot be replayed'],
    'conformance/cli/drift.socket.test.ts': ['a recording that cannot be sent is one line and exit 2'],
  },
  'make a planned or read-only run write': {
    'conformance/cli/drift.socket.test.ts': ['--plan says what would be sent and written, and sends nothing'],
    'conformance/drift/safety.test.ts': ['sends no write, and says of each why'],
    'conformance/drift/units.test.ts': ['--max-requests ends it between scenarios too'],
  },
  'show or keep a credential; end the judge by its form': {
    'conformance/cli/judge.socket.test.ts': [
      'fails, with a row for each rule, and shows no credential',
      '%s is one line, and exit 2',
      'a file that leads to a device is one line, and exit 2',
    ],
    'conformance/judge/elements.test.ts': ['a file that ends within a value is cut, wherever it ends'],
    'conformance/judge/traffic.test.ts': [
      'explain_request says which rules judged a request; files are judged over standard input alone',
    ],
  },
  'use the judge from another origin or under another host name; have a credential printed or reported; be answered by anything but the deployment; keep the judge from ending':
    {
      'conformance/cli/judge-live.socket.test.ts': [
        'what it refuses itself is no exchange',
        'a finding is printed once it is confirmed, and the report comes at the end',
        'what passes is the same in both directions, and no header is added',
        'a second Ctrl-C ends what hangs, and the report comes at once',
      ],
    },
  'run code (a JSON script holds none); stop the emulator by size, depth or number': {
    'emulator/scripts/registry.test.ts': [
      '20,000 nested whens are refused with their path',
      'many changes at once are gathered',
      'what is no regular file is skipped with a line, and never waited for',
    ],
  },
  'delay a prompt by a regular expression in a match': {
    'emulator/control/matches.test.ts': [
      'a pattern that backtracks forever elsewhere takes no time',
      'matches that cannot be used are refused',
    ],
  },
  'name an unknown disturbance': {
    'emulator/disturbances/disturber.test.ts': [
      'a fault %j is refused in one line',
      'a name that no disturbance has is refused',
    ],
  },
  'reach the control interface': {
    'emulator/disturbances/disturber.test.ts': ['the control interface meets no disturbance'],
  },
  'run anything there; reorder or hide the text beside it; set an unknown fault': {
    'emulator/console/explore.browser.test.ts': ['a report of anybody runs nothing'],
    'emulator/console/explored.test.ts': ['a report or schedule that cannot be shown is one line'],
  },
  'keep its run from ending; on Linux leave a process behind, unless that has left the session, emptied its environment and lost its parent':
    {
      'conformance/explore/command/left-behind.live.test.ts': [
        'children in sessions of their own do not outlive a run, and none keeps it from ending',
        'no child of a child that ends at once outlives a run',
      ],
    },
  'change the findings of another run, or take its rejections': {
    'conformance/explore/explore.test.ts': ['nothing of a run reaches another'],
    'conformance/explore/rejections.test.ts': ['rejections of a program go to it alone'],
  },
  'be heard without the random name of a run; make it keep more than 64 KiB; end it': {
    'conformance/explore/command/channel.socket.test.ts': [
      'who names no run is not heard, and what cannot be read ends the connection',
    ],
  },
  'be overwritten if it is not a store of ours': {
    'emulator/store/file.test.ts': [
      'what is no store of ours is refused and stays as it is:',
      'a damaged store is set aside untouched',
    ],
  },
  'lead a write elsewhere by a link; bring a key that others may read; be written over while the emulator has it open':
    {
      'emulator/store/links.test.ts': [
        'at NAME%s are not followed, and what they lead to stays',
        'at NAME%s are refused, and what they lead to stays',
        'at the folder of snapshots are refused',
        'a key that others may read is refused in one line',
        'a file that takes its place is not written over',
        'a vault key that is %s lets no secret be stored that never opens',
      ],
      'emulator/recording/files.test.ts': ['a link beside it or in its place is not followed'],
      'conformance/cli/save.socket.test.ts': ['a link in the place of a folder of the kit is refused'],
    },
  'name an unknown setting; listen beyond loopback without a token; block the start by leading to a device or a pipe': {
    'emulator/cli/settings.test.ts': ['file %s'],
    'emulator/emulator.socket.test.ts': ['does not open its control interface to the network without a token'],
    'emulator/cli/cli.socket.test.ts': ['for a file that is a device or a pipe, which is not read'],
  },
  'write outside its volume; have a capability, or more privileges than user 10001': {
    'test/container.test.ts': [
      'the container writes to its volume alone, has no capability, and is reached from this machine alone',
    ],
  },
  'run an input of the action as a part of a script': {
    'test/action.test.ts': ['an input is never part of a script, and each is used'],
  },
  "lead a key to an address that only the ledger names; lead to the deletion of others' interns": {
    'conformance/cli/cleanup.socket.test.ts': [
      'gets no credential: the line says how to name it',
      'takes away no intern that does not bear a name of its run',
    ],
  },
  'lead a credential to an address or a host that only the report names; have a request sent that the interface lacks, or that writes to what this replay did not make':
    {
      'conformance/cli/reports.socket.test.ts': ['an address that a report alone names'],
      'conformance/run/slice.test.ts': [
        'on interns of their own',
        'a report of somebody else leads no request to another host, and to no other path or method',
      ],
    },
  'end a command with a stack trace; delay it longer than its size explains; print characters that a terminal or a runner acts on':
    {
      'conformance/cli/reports.socket.test.ts': [
        'is one line, exit 2',
        'more than one text can hold is one line, exit 2',
        'brings no control character',
      ],
      'conformance/run/attempt.test.ts': ['a thousand million runs'],
    },
};
