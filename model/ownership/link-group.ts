/**
 * IFLA_GROUP of every interface that we make. The kernel takes it with the creation, where it leaves an alias out without a word
 * (rtnl_create_link; measured on 6.18), so no interface of ours is ever without a mark. The protocol number of our routes and rules
 * three times over: people number their groups from 1, and this one nobody has by chance.
 */
export const linkGroup = 118_118_118;
