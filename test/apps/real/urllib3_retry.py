# The known recipe for `requests`: an adapter whose retries are those of urllib3, around a list.
import os
import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

session = requests.Session()
retries = Retry(total=3, backoff_factor=0.1, status_forcelist=[500, 502, 503, 504])
session.mount("http://", HTTPAdapter(max_retries=retries))
reply = session.get(
    f"{os.environ['INTERN_BASE_URL']}/interns", headers={"authorization": f"Bearer {os.environ['INTERN_API_KEY']}"}
)
reply.raise_for_status()
print(",".join(intern["name"] for intern in reply.json()["data"]))
