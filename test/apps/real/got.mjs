// `got` reads its interns, with its own retries.
import got from 'got';

const { data } = await got(`${process.env.INTERN_BASE_URL}/interns`, {
  headers: { authorization: `Bearer ${process.env.INTERN_API_KEY}` },
}).json();
console.log(data.map(({ name }) => name).join());
