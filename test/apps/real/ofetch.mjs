// `ofetch` reads its interns: it tries again once by default.
import { ofetch } from 'ofetch';

const { data } = await ofetch(`${process.env.INTERN_BASE_URL}/interns`, {
  headers: { authorization: `Bearer ${process.env.INTERN_API_KEY}` },
});
console.log(data.map(({ name }) => name).join());
