// `ky` reads its interns, with its own retries and its limit of ten seconds.
import ky from 'ky';

const { data } = await ky
  .get(`${process.env.INTERN_BASE_URL}/interns`, { headers: { authorization: `Bearer ${process.env.INTERN_API_KEY}` } })
  .json();
console.log(data.map(({ name }) => name).join());
