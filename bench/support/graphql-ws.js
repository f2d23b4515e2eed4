import "graphql-ws";
import "ws";
