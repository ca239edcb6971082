// Stands for your application: waits until the emulator is there, and asks it for the interns.
const origin = `http://127.0.0.1:${process.env.INTERN_EMULATOR_PORT ?? 4683}`;
while (!(await fetch(`${origin}/_emulator/health`).catch(() => undefined))?.ok)
  await new Promise((resolve) => setTimeout(resolve, 100));
const headers = { authorization: 'Bearer emu-key-alice-0000000000000000' };
const { data } = await (await fetch(`${origin}/api/v1/interns`, { headers })).json();
console.log(data[0].name);
