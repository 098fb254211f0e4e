// The authenticator of the Kubernetes API server, with the file that kube-apiserver takes as --authentication-config: reads a token a
// line, and writes a line of JSON with the user whom it is for, or the error.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"log"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/install"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/oidc"
)

func load(file string) (*apiserver.AuthenticationConfiguration, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	install.Install(scheme)
	codecs := serializer.NewCodecFactory(scheme, serializer.EnableStrict)
	configuration := &apiserver.AuthenticationConfiguration{}
	return configuration, runtime.DecodeInto(codecs.UniversalDecoder(), text, configuration)
}

// start does for one issuer what kube-apiserver does, and waits until it has the keys.
func start(ctx context.Context, jwt apiserver.JWTAuthenticator) (oidc.AuthenticatorTokenWithHealthCheck, error) {
	options := oidc.Options{JWTAuthenticator: jwt, SupportedSigningAlgs: oidc.AllValidSigningAlgorithms()}
	if authority := jwt.Issuer.CertificateAuthority; authority != "" {
		content, err := dynamiccertificates.NewStaticCAContent("oidc-authenticator", []byte(authority))
		if err != nil {
			return nil, err
		}
		options.CAContentProvider = content
	}
	authenticator, err := oidc.New(ctx, options)
	if err != nil {
		return nil, err
	}
	for attempt := 0; authenticator.HealthCheck() != nil; attempt++ {
		if attempt == 300 {
			return nil, authenticator.HealthCheck()
		}
		time.Sleep(100 * time.Millisecond)
	}
	return authenticator, nil
}

func authenticate(ctx context.Context, authenticator oidc.AuthenticatorTokenWithHealthCheck, token string) map[string]any {
	response, ok, err := authenticator.AuthenticateToken(ctx, token)
	switch {
	case err != nil:
		return map[string]any{"error": err.Error()}
	case !ok:
		return map[string]any{"error": "not a token of this issuer"}
	}
	return map[string]any{"username": response.User.GetName(), "uid": response.User.GetUID(), "groups": response.User.GetGroups()}
}

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	configuration, err := load(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	authenticator, err := start(ctx, configuration.JWT[0])
	if err != nil {
		log.Fatal(err)
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		json.NewEncoder(os.Stdout).Encode(authenticate(ctx, authenticator, lines.Text()))
	}
}
