import assert from "node:assert/strict";
import { test } from "node:test";
import { parseBgpNeighbors } from "../../../../lab/fabric/bgp-neighbors.js";
import { parseEvpnRoutes } from "../../../../lab/fabric/evpn-routes.js";

/** From `show bgp l2vpn evpn json` of FRR 8.4.4 on rr2, cut down to one learnt and one own route. */
const ROUTES = `{
  "bgpTableVersion":2, "bgpLocalRouterId":"10.0.7.20", "defaultLocPrf":100, "localAS":65001,
  "10.0.7.19:2":{
    "rd":"10.0.7.19:2",
    "[2]:[0]:[48]:[96:2c:5f:8a:e5:98]":{
      "prefix":"[2]:[0]:[48]:[96:2c:5f:8a:e5:98]", "prefixLen":352,
      "paths":[
        { "valid":true, "bestpath":true, "selectionReason":"First path received", "pathFrom":"internal", "routeType":2,
          "ethTag":0, "macLen":48, "mac":"96:2c:5f:8a:e5:98", "locPrf":100, "weight":0, "peerId":"10.0.7.19", "path":"",
          "origin":"IGP", "extendedCommunity":{ "string":"RT:65001:228 ET:8" },
          "nexthops":[ { "ip":"10.0.7.19", "hostname":"rr1", "afi":"ipv4", "used":true } ] }
      ]
    }
  },
  "10.0.7.20:3":{
    "rd":"10.0.7.20:3",
    "[3]:[0]:[32]:[10.0.7.20]":{
      "prefix":"[3]:[0]:[32]:[10.0.7.20]", "prefixLen":352,
      "paths":[
        { "valid":true, "bestpath":true, "selectionReason":"First path received", "pathFrom":"external", "routeType":3,
          "ethTag":0, "ipLen":32, "ip":"10.0.7.20", "weight":32768, "peerId":"(unspec)", "path":"", "origin":"IGP",
          "extendedCommunity":{ "string":"ET:8 RT:65001:240" },
          "nexthops":[ { "ip":"10.0.7.20", "hostname":"rr2", "afi":"ipv4", "used":true } ] }
      ]
    }
  },
  "numPrefix":2, "totalPrefix":2
}`;

test("a reflector's EVPN table is a list of paths", () => {
  assert.deepEqual(parseEvpnRoutes(ROUTES), [
    {
      rd: "10.0.7.19:2",
      prefix: "[2]:[0]:[48]:[96:2c:5f:8a:e5:98]",
      routeType: 2,
      ethernetTag: 0,
      mac: "96:2c:5f:8a:e5:98",
      ip: undefined,
      nextHop: "10.0.7.19",
      routeTargets: ["65001:228"],
      extendedCommunities: "RT:65001:228 ET:8",
      best: true,
      from: "10.0.7.19",
    },
    {
      rd: "10.0.7.20:3",
      prefix: "[3]:[0]:[32]:[10.0.7.20]",
      routeType: 3,
      ethernetTag: 0,
      mac: undefined,
      ip: "10.0.7.20",
      nextHop: "10.0.7.20",
      routeTargets: ["65001:240"],
      extendedCommunities: "ET:8 RT:65001:240",
      best: true,
      from: undefined,
    },
  ]);
});

/** From `show bgp l2vpn evpn summary json` of FRR 8.4.4 on rr1. */
const SUMMARY = `{
  "routerId":"10.0.7.19", "as":65001, "vrfId":0, "vrfName":"default", "tableVersion":0, "ribCount":3, "peerCount":1,
  "peers":{
    "10.0.7.20":{ "hostname":"rr2", "remoteAs":65001, "localAs":65001, "version":4, "msgRcvd":2, "msgSent":2,
      "tableVersion":0, "outq":0, "inq":0, "peerUptime":"00:00:02", "peerUptimeMsec":2000,
      "peerUptimeEstablishedEpoch":1796173589, "pfxRcd":2, "pfxSnt":4, "state":"Established", "peerState":"OK",
      "connectionsEstablished":1, "connectionsDropped":0, "idType":"ipv4" }
  },
  "failedPeers":0, "displayedPeers":1, "totalPeers":1, "dynamicPeers":0
}`;

test("a reflector's neighbours have their state and counts", () => {
  assert.deepEqual(parseBgpNeighbors(SUMMARY), [
    { address: "10.0.7.20", state: "Established", prefixesReceived: 2, prefixesSent: 4, uptime: 2000 },
  ]);
});

test("a reflector without neighbours has none", () => {
  assert.deepEqual(parseBgpNeighbors("{}"), []);
});
