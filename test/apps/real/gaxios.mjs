// `gaxios` reads its interns, with its own retries.
import { request } from 'gaxios';

const { data } = await request({
  url: `${process.env.INTERN_BASE_URL}/interns`,
  headers: { authorization: `Bearer ${process.env.INTERN_API_KEY}` },
  retry: true,
});
console.log(data.data.map(({ name }) => name).join());
