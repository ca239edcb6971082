/**
 * The stock script that says every awkward character. Not a JSON file as the others: bundlers refuse JSON with the lone
 * surrogates it has to have.
 */
export const unicode = {
  name: 'unicode',
  description: 'Says every awkward character',
  turn: [
    { reason: 'line\nfeed, carriage\rreturn, both\r\n\r\n' },
    { say: 'data: not an event\n\ndata: [DONE]\n\n: not a comment\nevent: x\nid: 1\nretry: 2\n' },
    { say: '[DONE]' },
    { say: 'separators \u2028 \u2029 \u0085 \u000b \f' },
    { say: 'controls \u0000 \u0001 \u001b \u007f \u009f' },
    { say: 'quotes " \' ` \\ / \\n \\u0041 </script>' },
    { say: 'lone \ud800 surrogates \udc00 reversed \udc00\ud800' },
    { say: 'non-characters \ufeff \ufffe \uffff \ufdd0 \ufffd' },
    {
      say: 'e\u0301 \ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67 \ud83c\udde9\ud83c\uddea \ud83d\udc4d\ud83c\udffd \u0928\u093f',
      chunks: 9,
    },
    { say: '\u202eright to left\u202c \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627' },
    { say: '\u4f60\u597d \u3053\u3093\u306b\u3061\u306f \uc548\ub155 \ud840\udc00 \udbff\udfff' },
    { say: '' },
    { usage: { prompt_tokens: 10, completion_tokens: 40, total_tokens: 50 } },
    { end: 'stop' },
  ],
};
