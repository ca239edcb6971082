# curl in a script, which tries again whatever went wrong.
curl --silent --show-error --fail-with-body --no-buffer --retry 3 --retry-all-errors \
  -H "Authorization: Bearer $INTERN_API_KEY" -H 'Content-Type: application/json' \
  -d '{"stream": true, "messages": [{"role": "user", "content": "one two three"}]}' \
  "$INTERN_BASE_URL/interns/$INTERN_INTERN_ID/chat/completions" | sed -n 's/.*"content":"\([^"]*\)".*/\1/p'
exit "${PIPESTATUS[0]}"
