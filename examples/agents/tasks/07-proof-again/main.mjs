import { send } from './client.mjs';

const { INTERN_BASE_URL: base, INTERN_INTERN_ID: id, INTERN_OAUTH_TOKEN: key } = process.env;
const access = await fetch(`${base}/interns/${id}/daemon`, { headers: { authorization: `Bearer ${key}` } });
const { origin: daemonOrigin, token: daemonToken } = await access.json();
const request = { method: 'POST', path: '/api/invoke', headers: {}, body: Buffer.from(process.argv[2]) };
console.log(await send({ signUrl: `${base}/interns/${id}/daemon/sign`, key, daemonOrigin, daemonToken, request }));
