benchstat -format csv -table z@num -row .name order.txt
