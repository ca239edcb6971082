// Go's net/http as a command: the body on standard input; the answer as HTTP prints it.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
)

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	headers := map[string]string{}
	fail(json.Unmarshal([]byte(os.Args[2]), &headers))
	body, err := io.ReadAll(os.Stdin)
	fail(err)
	request, err := http.NewRequest("POST", os.Args[1], bytes.NewReader(body))
	fail(err)
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if len(os.Args) > 3 {
		pem, err := os.ReadFile(os.Args[3])
		fail(err)
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(pem)
		transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	fail(err)
	fmt.Printf("HTTP/1.1 %d\r\ncontent-type: %s\r\n\r\n", response.StatusCode, response.Header.Get("content-type"))
	_, err = io.Copy(os.Stdout, response.Body)
	fail(err)
}
