// In CommonJS Jest loads no ES modules: the emulator runs beside it (`intern-emulator exec -- jest`).
const { INTERN_BASE_URL, INTERN_CONTROL_URL, INTERN_API_KEY } = process.env;

beforeEach(() => fetch(`${INTERN_CONTROL_URL}/reset`, { method: 'POST' }));

test('lists the interns that are running', async () => {
  const headers = { authorization: `Bearer ${INTERN_API_KEY}` };
  const response = await fetch(`${INTERN_BASE_URL}/interns?status=running`, { headers });
  expect((await response.json()).data).toMatchObject([{ name: 'first-intern' }]);
});
